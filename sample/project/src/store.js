import { readFile, writeFile } from 'node:fs/promises'
import { createLedger } from './ledger.js'

/** Reads the ledger; a file that is not there yet is an empty one. */
export async function loadLedger(file) {
  try {
    return createLedger(JSON.parse(await readFile(file, 'utf8')).expenses)
  } catch (error) {
    if (error.code === 'ENOENT') return createLedger()
    throw error
  }
}

// TODO: write to a temporary file first, so that a crash can't cut the ledger short
export async function saveLedger(file, ledger) {
  await writeFile(file, `${JSON.stringify(ledger, null, 2)}\n`)
}
