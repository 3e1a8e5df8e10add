//! A configuration of lines `key = value`.

use std::collections::HashMap;
use std::num::ParseIntError;

/// The values by their keys.
#[derive(Debug, Default)]
pub struct Config {
    values: HashMap<String, String>,
}

/// One line: its key and its value, or nothing if there is no key.
pub fn parse_line(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once('=')?;
    let key = key.trim();
    if key.is_empty() {
        return None;
    }
    Some((key.to_string(), value.trim().to_string()))
}

impl Config {
    /// Lines that cannot be read are left out.
    pub fn parse(text: &str) -> Config {
        let mut values = HashMap::new();
        for line in text.lines() {
            if let Some((key, value)) = parse_line(line) {
                values.insert(key, value);
            }
        }
        Config { values }
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// The keys in order.
    pub fn keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        for key in self.values.keys() {
            keys.push(key.clone());
        }
        keys.sort();
        keys
    }
}

/// The number of a port.
pub fn parse_port(text: &str) -> u16 {
    text.trim().parse().unwrap()
}

/// The sum of numbers with commas between them.
pub fn parse_sum(text: &str) -> Result<i64, ParseIntError> {
    let mut sum = 0;
    for part in text.split(',') {
        let number = match part.trim().parse::<i64>() {
            Ok(number) => number,
            Err(error) => return Err(error),
        };
        sum += number;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_key_and_a_value() {
        let (key, value) = parse_line(" port = 80 ").unwrap();
        assert_eq!((key.as_str(), value.as_str()), ("port", "80"));
    }

}
