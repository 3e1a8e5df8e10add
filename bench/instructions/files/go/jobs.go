// Package jobs keeps what is to be done and how long it took.
package jobs

import (
	"fmt"
	"sync"
	"time"
)

// Job is one piece of work.
type Job struct {
	Name  string
	Run   func() error
	Tries int
}

// Counter counts by name. It may be used by several goroutines.
type Counter struct {
	mu     sync.Mutex
	counts map[string]int
}

// NewCounter returns a counter that has counted nothing.
func NewCounter() *Counter {
	return &Counter{counts: make(map[string]int)}
}

// Add counts one more, and returns how many there are now, at most limit.
func (c *Counter) Add(name string, limit int) int {
	c.mu.Lock()
	if c.counts[name] >= limit {
		c.mu.Unlock()
		return limit
	}
	c.counts[name]++
	n := c.counts[name]
	c.mu.Unlock()
	return n
}

// Mean is the mean of some durations.
func Mean(durations []time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range durations {
		sum += d
	}
	return sum / time.Duration(len(durations))
}

// RunAll runs the jobs one after the other and returns the first error.
func RunAll(jobs []Job) error {
	for _, job := range jobs {
		fmt.Println("running", job.Name)
		if err := job.Run(); err != nil {
			fmt.Println("failed", job.Name, err)
			return err
		}
	}
	return nil
}

// Retry runs a job until it succeeds or has no tries left.
func Retry(job Job, pause time.Duration) error {
	var err error
	for i := 0; i < job.Tries; i++ {
		if err = job.Run(); err == nil {
			return nil
		}
		time.Sleep(pause)
	}
	return err
}
