/** Paths on the command line, checked before anything is loaded. */
import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { GivenAgents } from './parse-agents.ts'

/** The first agent file that does not exist, as given; null: all exist. */
export function missingFile({ files }: GivenAgents): string | null {
  return files.find((file) => statSync(resolve(file), { throwIfNoEntry: false }) === undefined) ?? null
}

/** The real path of a folder; null if the folder does not exist. */
export function folderAt(path: string): string | null {
  try {
    const real = realpathSync(resolve(path))
    return statSync(real).isDirectory() ? real : null
  } catch {
    return null
  }
}
