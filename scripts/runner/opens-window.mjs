/** Whether `troupe …` opens the window: no arguments, or a folder. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'

/** The commands. A folder with such a name is opened as `./agents`. */
const VERBS = new Set(['run', 'agents', 'conversations', 'help'])

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export function opensWindow(args, cwd) {
  const [first] = args
  if (first === undefined) return true
  if (VERBS.has(first)) return false
  return statSync(resolve(cwd, first), { throwIfNoEntry: false })?.isDirectory() === true
}
