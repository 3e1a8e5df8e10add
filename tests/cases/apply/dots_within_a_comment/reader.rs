impl Reader {
    fn context(&self) -> usize {
        // The lines before the match are needed
        // even at the beginning of the buffer.
        let before = preceding(self.buffer, self.longest);
        let after = following(self.buffer);
        before + after
    }
}
