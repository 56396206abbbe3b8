/** Whether `troupe …` is about the window: no words at all, or a folder. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'

/** What the command line understands. A folder of such a name is opened as `./agents`. */
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
