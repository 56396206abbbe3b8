/**
 * The time of this machine. Only this file asks the machine for it, as only random-names.ts asks for random numbers: the
 * platform and the compositions import both, and give everything else what it needs ("The clock and ids" in
 * docs/architecture.md).
 */

/** ms since the epoch. */
export const machineNow = (): number => Date.now()

/** ms since the program started, for durations: no change of the machine's time moves it. */
export const machineElapsed = (): number => performance.now()
