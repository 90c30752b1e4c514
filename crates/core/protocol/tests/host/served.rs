//! A whole conversation, line by line: the answers, and the line that ends it.

use crate::toy::{SLICE, host, prepare};
use cupel_protocol::PROTOCOL;
use cupel_protocol::line::MAX_LINE;
use cupel_protocol::message::{Ask, Request};
use cupel_protocol::serve::serve;
use cupel_protocol::workload::Operation;
use serde_json::{Value, json};
use std::io::{BufReader, Read};

/// The replies to these lines.
fn replies(sent: impl Read) -> Vec<Value> {
    let mut written = Vec::new();
    serve(&mut host(), BufReader::new(sent), &mut written).expect("the streams work");
    let text = String::from_utf8(written).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "whole lines: {text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn line(id: u64, ask: Ask) -> String {
    let mut line = Vec::new();
    Request { id, ask }.write(&mut line).unwrap();
    String::from_utf8(line).unwrap()
}

/// Number, status and reason of a reply.
fn told(reply: &Value) -> String {
    format!("{} {} {}", reply["id"], reply["status"], reply["reason"].as_str().unwrap_or_default())
}

#[test]
fn every_request_is_answered_under_its_number_until_bye() {
    let hello = |protocol| Ask::Hello { protocol, tool: "test".to_string() };
    let sent = [
        line(1, hello(PROTOCOL + 1)),
        line(2, hello(PROTOCOL)),
        line(3, Ask::List),
        line(4, Ask::Prepare(prepare(Operation::Digest, 1))),
        line(5, Ask::Slice(SLICE)),
        line(6, Ask::Bye),
        line(7, Ask::List),
    ];
    let replies = replies(sent.concat().as_bytes());
    assert_eq!(told(&replies[0]), "1 \"unsupported\" this runner speaks protocol 1, not 2");
    assert!(replies[0]["remedy"].is_string(), "{}", replies[0]);
    assert_eq!(replies[1]["runner"], "toys");
    assert_eq!(replies[2]["contenders"][0]["name"], "toy");
    assert_eq!(replies[3]["code_path"], "chunks []");
    assert_eq!(replies[4]["iterations"], SLICE.iterations);
    let numbers: Vec<&Value> = replies.iter().map(|reply| &reply["id"]).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6], "nothing is read after bye");
}

#[test]
fn a_line_that_is_no_request_is_refused_and_the_next_one_is_answered() {
    let sent = "{\"id\": 4, \"ask\": \"li\n[]\n{\"id\": 5, \"ask\": \"slice\"}\n\
                {\"id\": 6, \"ask\": \"rewind\\u001b\"}\n{\"id\": 7, \"ask\": \"list\", \"new\": 1}\n";
    let replies = replies(sent.as_bytes());
    assert!(told(&replies[0]).starts_with("0 \"failed\" EOF while parsing"), "{}", replies[0]);
    assert!(told(&replies[1]).starts_with("0 \"failed\" "), "{}", replies[1]);
    assert!(told(&replies[2]).starts_with("5 \"failed\" missing field"), "{}", replies[2]);
    let unknown = "6 \"unsupported\" this runner does not know the request rewind\\u{1b}";
    assert_eq!(told(&replies[3]), unknown);
    assert_eq!((&replies[4]["id"], &replies[4]["status"]), (&json!(7), &json!("ok")));
    assert_eq!(replies.len(), 5);
}

#[test]
fn a_line_without_an_end_is_refused_and_ends_the_conversation() {
    let half = replies(&b"{\"id\": 1, \"ask\": \"list\"}\n{\"id\": 2"[..]);
    assert_eq!(half.len(), 2);
    assert!(told(&half[1]).starts_with("0 \"failed\" "), "{}", half[1]);
    let endless = replies(std::io::repeat(b'x').take(2 * MAX_LINE as u64));
    assert!(told(&endless[0]).contains("a line is longer than"), "{}", endless[0]);
    assert_eq!(endless.len(), 1);
    assert!(replies(&b""[..]).is_empty());
}
