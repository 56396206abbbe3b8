import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import { editTextFile } from './edit-text-file.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-edit-text-'))
  file = join(folder, 'settings.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Runs `meanwhile` between the read of the file and its replacement, the first time. */
function append(line: string, meanwhile: () => void) {
  let calls = 0
  return editTextFile(file, (text) => {
    if (calls++ === 0) meanwhile()
    return ok(`${text}${line}`)
  })
}

test('a change of the user between read and write is kept', async () => {
  await writeFile(file, 'one\n')
  expect(await append('two\n', () => writeFileSync(file, 'one\nby hand\n'))).toMatchObject({ ok: true })
  expect(await readFile(file, 'utf8')).toBe('one\nby hand\ntwo\n')
  expect(await readdir(folder)).toEqual(['settings.json'])
})

test('a file that the user makes between read and write is kept', async () => {
  expect(await append('two\n', () => writeFileSync(file, 'by hand\n'))).toMatchObject({ ok: true })
  expect(await readFile(file, 'utf8')).toBe('by hand\ntwo\n')
})

test('a link that appears between read and write is not replaced', async () => {
  await writeFile(file, 'one\n')
  const elsewhere = join(folder, 'elsewhere')
  const replaced = await append('two\n', () => {
    writeFileSync(elsewhere, 'one\n')
    rmSync(file)
    symlinkSync(elsewhere, file)
  })
  expect(replaced).toMatchObject({ failure: { type: 'io', message: expect.stringContaining('is a link') } })
  expect(await readFile(elsewhere, 'utf8')).toBe('one\n')
})

test('a file that another program keeps changing is left to it', async () => {
  await writeFile(file, '0')
  let count = 0
  const edited = await editTextFile(file, (text) => {
    writeFileSync(file, String(++count))
    return ok(`${text}!`)
  })
  expect(edited).toMatchObject({ failure: { message: expect.stringContaining('keeps changing it') } })
  expect(await readFile(file, 'utf8')).toBe(String(count))
})

// The kernel's own file system refuses new files, also to an administrator.
test.skipIf(!existsSync('/sys/kernel'))(
  'a failure names the file, not the temporary one beside it',
  async () => {
    const edited = await editTextFile('/sys/kernel/settings.json', () => ok('{}'))
    expect(edited.ok || edited.failure.message).toMatch(
      /^The file can’t be written: [^/]*\(\/sys\/kernel\/settings\.json\)\. [^/]*$/,
    )
  },
)
