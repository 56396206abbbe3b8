/** Changes a small file that people edit too: under a lock, in one step, and never behind a link. */
import { lstatSync, readFileSync, renameSync } from 'node:fs'
import { lstat, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { claimName, makeFolder, publishFile, syncFolder } from './atomic-file.ts'
import { diskFailure } from './disk-failure.ts'
import { draftMark } from './draft-name.ts'
import { codeOf } from './error-code.ts'
import { fileFailure } from './file-failure.ts'

const lock = new KeyedLock()

/**
 * @param change gets the current text, empty for a missing file. Its failure leaves the file as it is. Called again
 *   with the newer text if another program writes to the file meanwhile
 * @param options.newMode of a file that is made
 *
 * Fails with `io` for a link, a read-only file, or one that can't be written. A failure `json` names the file.
 */
export function editTextFile(
  file: string,
  change: (text: string) => Result<string>,
  { newMode = 0o644 }: { readonly newMode?: number } = {},
): Promise<Result<void>> {
  return lock.withLock(file, async () => {
    try {
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const edited = await edit(file, change, newMode)
        if (edited !== 'changed') return edited
      }
      return fail({ type: 'io', message: `${file} is unchanged: another program keeps changing it.` })
    } catch (thrown) {
      return fail({ ...diskFailure(thrown, 'The file can’t be written', file), type: 'io' })
    }
  })
}

const MOST_ATTEMPTS = 20
const OWNER_WRITES = 0o200

/** `changed`: another program wrote to the file after it was read. Nothing was written then. */
async function edit(
  file: string,
  change: (text: string) => Result<string>,
  newMode: number,
): Promise<Result<void> | 'changed'> {
  const found = await lstat(file).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return null
    throw thrown
  })
  const refuse = (message: string) => fail({ type: 'io', message })
  if (found?.isSymbolicLink())
    return refuse(`${file} is a link, so Troupe doesn't change it. Edit the file that it leads to by hand.`)
  if (found?.isSocket()) return refuse(fileFailure({ code: 'ENXIO' }, file).message)
  if (found?.isFile() === false) return refuse(`${file} is not a regular file. Move it away, then try again.`)
  if (found !== null && (found.mode & OWNER_WRITES) === 0)
    return refuse(`${file} is read-only, so nothing was changed.`)
  const bytes = found === null ? null : await readFile(file)
  const text = bytes === null ? '' : textOf(bytes)
  if (text === null) return refuse(`${file} is unchanged: its bytes are not UTF-8. Save it as UTF-8 first.`)
  const changed = change(text)
  if (!changed.ok) {
    const { type, message } = changed.failure
    return type === 'json' ? fail({ type, message: `${file} is unchanged. ${message}` }) : changed
  }
  if (changed.value === text) return ok(undefined)
  if (found === null) await makeFolder(dirname(file))
  const mode = found === null ? newMode : found.mode & 0o777
  const draft = `${file}.${draftMark()}`
  const published = await publishFile({
    ...{ draft, content: changed.value, mode },
    prepare: (handle) => handle.chmod(mode),
    async publish() {
      if (bytes === null) return claimName(draft, file)
      // Synchronous: nothing of this program comes between the last look and the replacement.
      if (!isStill(file, bytes)) return false
      renameSync(draft, file)
      return true
    },
  })
  if (!published) return 'changed'
  await syncFolder(dirname(file))
  return ok(undefined)
}

/** Null: the bytes are not UTF-8, and writing them again would change them. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function isStill(file: string, bytes: Uint8Array): boolean {
  try {
    return lstatSync(file).isFile() && readFileSync(file).equals(bytes)
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return false
    throw thrown
  }
}
