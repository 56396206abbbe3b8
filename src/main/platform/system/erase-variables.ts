/**
 * On Linux every process of the same user can read the environment that a process started with, in
 * `/proc/<pid>/environ`. Deleting a variable does not change that; overwriting its value in memory does.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

const ENVIRONMENT = '/proc/self/environ'

/**
 * Overwrites the values of these variables in the environment that this process started with. Returns whether no
 * value is left; always true on systems other than Linux.
 */
export function eraseVariables(names: readonly string[]): boolean {
  if (process.platform !== 'linux') return true
  try {
    const values = valuesOf(names)
    if (values.length === 0) return true
    overwrite(values)
    return valuesOf(names).length === 0
  } catch {
    return false
  }
}

interface Value {
  /** In bytes, from the start of the environment. */
  readonly at: number
  readonly length: number
}

/** The values that are not empty or overwritten. */
function valuesOf(names: readonly string[]): readonly Value[] {
  const environment = readFileSync(ENVIRONMENT)
  const values: Value[] = []
  // Each entry ends with a zero.
  for (let start = 0, end = 0; end !== -1; start = end + 1) {
    end = environment.indexOf(0, start)
    const entry = environment.toString('latin1', start, end === -1 ? environment.length : end)
    const equals = entry.indexOf('=')
    if (names.includes(entry.slice(0, equals)) && equals + 1 < entry.length)
      values.push({ at: start + equals + 1, length: entry.length - equals - 1 })
  }
  return values
}

function overwrite(values: readonly Value[]): void {
  const start = startOfEnvironment()
  const memory = openSync('/proc/self/mem', 'r+')
  try {
    for (const { at, length } of values) writeSync(memory, Buffer.alloc(length), 0, length, start + at)
  } finally {
    closeSync(memory)
  }
}

/** The address: field 50 of the line. Field 2, a name in parentheses, can contain anything. */
function startOfEnvironment(): number {
  const line = readFileSync('/proc/self/stat', 'latin1')
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return Number(fields[50 - 3])
}
