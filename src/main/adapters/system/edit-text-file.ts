/** Changes a small file that people edit too: under a lock, in one step, and never behind a link. */
import { randomUUID } from 'node:crypto'
import { chmod, lstat, readFile } from 'node:fs/promises'
import { KeyedLock } from '../../../shared/keyed-lock.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import { replaceFile } from './atomic-file.ts'
import { codeOf } from './error-code.ts'

const lock = new KeyedLock()

/**
 * @param change gets the current text, empty for a missing file. Its failure leaves the file as it is.
 *
 * Fails with `io` for a link, a read-only file, or one that can't be written. A failure `json` names the file.
 */
export function editTextFile(file: string, change: (text: string) => Result<string>): Promise<Result<void>> {
  return lock.withLock(file, async () => {
    try {
      const found = await lstat(file).catch((thrown: unknown) => {
        if (codeOf(thrown) === 'ENOENT') return null
        throw thrown
      })
      if (found?.isFile() === false)
        return fail({ type: 'io', message: `${file} is not a regular file. Edit it by hand.` })
      if (found !== null && (found.mode & OWNER_WRITES) === 0)
        return fail({ type: 'io', message: `${file} is read-only, so nothing was changed.` })
      const text = found === null ? '' : await readFile(file, 'utf8')
      const changed = change(text)
      if (!changed.ok) {
        const { type, message } = changed.failure
        return type === 'json' ? fail({ type, message: `${file} is unchanged. ${message}` }) : changed
      }
      if (changed.value === text) return ok(undefined)
      await replaceFile(file, changed.value, { durable: true, draft: `${file}.${randomUUID()}` })
      await chmod(file, found === null ? NEW_MODE : found.mode & 0o777)
      return ok(undefined)
    } catch (thrown) {
      return fail({
        type: 'io',
        message: `${file} could not be written: ${messageOf(thrown)}`,
        cause: thrown,
      })
    }
  })
}

const OWNER_WRITES = 0o200
const NEW_MODE = 0o644
