import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

export const nodeModules = join(root, 'node_modules')

/** Stamps of the runner; `npm ci` removes them together with node_modules. */
export const notes = join(nodeModules, '.cache', 'troupe')

/** Downloads too large to repeat after each `npm ci`. */
export const userCache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'troupe-dev')
