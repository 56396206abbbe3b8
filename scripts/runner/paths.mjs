import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout's folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

export const nodeModules = join(root, 'node_modules')

/** Stamps and other notes of the runner; `npm ci` wipes them together with what they describe. */
export const notes = join(nodeModules, '.cache', 'troupe')

/** What is too large to be fetched again after each `npm ci`. */
export const userCache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'troupe-dev')
