package dev.cupel.runner;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The threads in addition to the first one. They exist since the {@code prepare} of the first cell
 * that needs them, and sleep between slices.
 */
final class Crew {
  private final List<Hand> hands = new ArrayList<>();

  private static final class Hand extends Thread {
    private final LinkedBlockingQueue<Runnable> todo = new LinkedBlockingQueue<>();
    private final CountDownLatch started = new CountDownLatch(1);
    private long number;
    private Counters counters;

    Hand(int index) {
      super("calls-" + index);
      setDaemon(true);
    }

    @Override
    public void run() {
      number = Server.thread();
      counters = new Counters();
      started.countDown();
      try {
        while (true) {
          todo.take().run();
        }
      } catch (InterruptedException e) {
        // No one interrupts it.
      }
    }
  }

  private Counters counters;

  /** Makes something on each of this many threads, one after the other. */
  <T> List<T> each(int count, Callable<T> make) throws Refused {
    try {
      while (hands.size() < count) {
        Hand hand = new Hand(hands.size() + 1);
        hand.start();
        hand.started.await();
        hands.add(hand);
      }
      List<T> made = new ArrayList<>();
      for (Hand hand : hands.subList(0, count)) {
        FutureTask<T> task = new FutureTask<>(make);
        hand.todo.add(task);
        made.add(task.get());
      }
      return made;
    } catch (ExecutionException e) {
      throw Refused.of(e.getCause());
    } catch (InterruptedException e) {
      throw Refused.of(e);
    }
  }

  /** The system's numbers of the first threads. */
  List<Long> numbers(int count) {
    return hands.subList(0, count).stream().map(hand -> hand.number).toList();
  }

  /** Makes a slice of a cell with all of its threads, of which the calling one is the first. */
  Together slice(Cell cell, SliceRequest request) throws InterruptedException {
    if (counters == null) {
      counters = new Counters();
    }
    int others = cell.others().size();
    Together together = new Together(request, others + 1);
    CountDownLatch done = new CountDownLatch(others);
    for (int i = 0; i < others; i++) {
      Hand hand = hands.get(i);
      Cell own = cell.others().get(i);
      int index = i + 1;
      hand.todo.add(
          () -> {
            together.play(index, own, hand.counters);
            done.countDown();
          });
    }
    together.play(0, cell, counters);
    done.await();
    return together;
  }
}
