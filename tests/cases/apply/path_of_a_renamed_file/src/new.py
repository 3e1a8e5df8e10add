import re


def words(text):
    return re.findall('[a-z]+', text)


def count(text):
    return len(words(text))
