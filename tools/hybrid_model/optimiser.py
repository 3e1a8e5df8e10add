"""AdamW with a warm-up and a linear decay."""

import jax

WARM_UP = 20  # steps
DECAY = 0.01


@jax.jit
def clipped(gradient):
    size = jax.numpy.sqrt(sum(jax.numpy.square(g).sum() for g in jax.tree.leaves(gradient)))
    return jax.tree.map(lambda g: g / jax.numpy.maximum(size, 1), gradient)


def make_step(loss):
    """`loss(parameters, tokens)` gives what is minimised, and anything to report."""

    @jax.jit
    def step(parameters, first, second, tokens, rate, count):
        """One step: `first` and `second` are the running means of gradients and of their squares."""
        (_, parts), gradient = jax.value_and_grad(loss, has_aux=True)(parameters, tokens)
        gradient = clipped(gradient)
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
        second = jax.tree.map(lambda v, g: 0.98 * v + 0.02 * g * g, second, gradient)

        def moved(p, m, v):
            change = m / (1 - 0.9 ** count) / (jax.numpy.sqrt(v / (1 - 0.98 ** count)) + 1e-8)
            return p - rate * (change + (DECAY * p if p.ndim > 1 else 0))
        return jax.tree.map(moved, parameters, first, second), first, second, parts
    return step


def descend(parameters, loss, next_batch, steps, rate, say):
    """The parameters after so many steps; every 50 steps, `say(step, what the loss reports)`."""
    first = jax.tree.map(jax.numpy.zeros_like, parameters)
    second, step = first, make_step(loss)
    for count in range(1, steps + 1):
        now = rate * min(count / WARM_UP, 1 - (count - 1) / steps)
        parameters, first, second, parts = step(parameters, first, second, next_batch(), now, count)
        if count % 50 == 0 or count == steps:
            say(count, parts)
    return parameters
