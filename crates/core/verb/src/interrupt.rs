//! The effect of Ctrl-C: the first ends the run after its round, or after a moment if a runner does
//! not answer; the second ends the process at once.

use anyhow::Result;
use cupel_base::text::tell;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long the round in flight may take after the first Ctrl-C. A round takes milliseconds.
const MOMENT: Duration = Duration::from_millis(700);

const MEASURING: u8 = 0;
const MEASURED: u8 = 1;
const GIVEN_UP: u8 = 2;
const OVER: u8 = 3;

/// The state of an interruption.
pub struct Interrupt {
    /// Whether to stop after the round in flight.
    pub stop: Arc<AtomicBool>,
    state: Arc<AtomicU8>,
}

/// The receiver of Ctrl-C: the newest run of this process.
static LISTENING: Mutex<Option<Listening>> = Mutex::new(None);

struct Listening {
    next: String,
    stop: Arc<AtomicBool>,
    state: Arc<AtomicU8>,
}

fn lock() -> MutexGuard<'static, Option<Listening>> {
    LISTENING.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Listening {
    fn hear(&self) {
        // Between two runs there is nothing that could end well.
        if self.state.load(Ordering::Relaxed) == OVER || self.stop.swap(true, Ordering::Relaxed) {
            leave();
        }
        let (next, state) = (self.next.clone(), Arc::clone(&self.state));
        std::thread::spawn(move || give_up(&next, &state));
    }
}

impl Interrupt {
    /// Listens for Ctrl-C from now on. `next` is the text on how to resume the run.
    ///
    /// # Errors
    /// If the system does not deliver signals.
    pub fn listen(next: String) -> Result<Interrupt> {
        let (stop, state) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU8::new(MEASURING)));
        let own = Listening { next, stop: Arc::clone(&stop), state: Arc::clone(&state) };
        let first = lock().replace(own).is_none();
        if first {
            ctrlc::set_handler(|| {
                if let Some(listening) = &*lock() {
                    listening.hear();
                }
            })?;
        }
        Ok(Interrupt { stop, state })
    }

    /// Measuring has ended, so there is no runner any more that could hang.
    pub fn measured(&self) {
        if self.state.swap(MEASURED, Ordering::Relaxed) == GIVEN_UP {
            // The other thread is about to end the process.
            loop {
                std::thread::park();
            }
        }
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.state.store(OVER, Ordering::Relaxed);
    }
}

/// Ends a run at a fixed time, as the first Ctrl-C does.
pub struct Alarm {
    rang: Arc<AtomicBool>,
    _off: Sender<()>,
}

impl Alarm {
    /// Sets `stop` after this time, unless it is dropped before.
    pub fn set(after: Duration, stop: &Arc<AtomicBool>) -> Alarm {
        let (off, is_off) = channel();
        let rang = Arc::new(AtomicBool::new(false));
        let (stop, rings) = (Arc::clone(stop), Arc::clone(&rang));
        std::thread::spawn(move || {
            if is_off.recv_timeout(after) == Err(RecvTimeoutError::Timeout) {
                rings.store(!stop.swap(true, Ordering::Relaxed), Ordering::Relaxed);
            }
        });
        Alarm { rang, _off: off }
    }

    /// Whether it has ended the run: nothing else had before.
    pub fn rang(&self) -> bool {
        self.rang.load(Ordering::Relaxed)
    }
}

/// Ends the process if it is still measuring after a moment. Every round is one transaction, so the
/// store loses only the round in flight.
fn give_up(next: &str, state: &AtomicU8) {
    std::thread::sleep(MOMENT);
    let order = Ordering::Relaxed;
    if state.compare_exchange(MEASURING, GIVEN_UP, order, order).is_ok() {
        tell(&format!(
            "cupel: interrupted; the round in flight did not end at once, and is lost. `cupel show` \
             prints what is stored; {next}"
        ));
        leave();
    }
}

fn leave() -> ! {
    cupel_runner::end_all();
    std::process::exit(130);
}
