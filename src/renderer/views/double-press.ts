/** Two presses within this time are one command. In ms. */
const DOUBLE_PRESS = 1000

interface DoublePress {
  /** Whether this press completes a double press. Times in ms. */
  press(at: number): boolean
  /** The next press counts as a first one. */
  reset(): void
}

export function createDoublePress(): DoublePress {
  let last = Number.NEGATIVE_INFINITY
  const reset = () => {
    last = Number.NEGATIVE_INFINITY
  }
  return {
    press: (at) => {
      const isSecond = at - last <= DOUBLE_PRESS
      last = isSecond ? Number.NEGATIVE_INFINITY : at
      return isSecond
    },
    reset,
  }
}
