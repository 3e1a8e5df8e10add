#![allow(dead_code)]

fn f() -> u8 {
    1
}
