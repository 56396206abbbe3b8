import { execFileSync } from 'node:child_process'

/** ms in which Node starts at best. A machine with two cores of its own takes half of it. */
const SLOW = 65
const TRIES = 7

/** Whether processes start so slowly here that not all tests fit into the time: see decision 175. @param node its path */
export function isSlowMachine(node) {
  const times = Array.from({ length: TRIES }, () => {
    const begin = performance.now()
    execFileSync(node, ['-e', '0'])
    return performance.now() - begin
  })
  return Math.min(...times) > SLOW
}
