#!/usr/bin/python3
# -*- coding: utf-8 -*-
import re


def words(text):
    return re.findall('[a-z]+', text)


def count(text):
    return len(words(text))
