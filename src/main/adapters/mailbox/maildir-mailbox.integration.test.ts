/** Mailboxes on a real disk: what every mailbox keeps to, and what becomes of files that are no letters. */
import {
  chmod,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../transcripts/testing/temp-folder.ts'
import { createMaildirMailbox, type MaildirOptions } from './maildir-mailbox.ts'
import { testMailbox } from './testing/mailbox-contract.ts'
import { sampleLetter } from './testing/sample-letters.ts'

describe('a mailbox on the disk', () => {
  testMailbox(async () => {
    const folder = await tempFolder()
    const problems: string[] = []
    return () => createMaildirMailbox({ folder, onProblem: (problem) => problems.push(problem) })
  })
})

async function openMailbox(more: Partial<MaildirOptions> = {}) {
  const folder = await tempFolder()
  const problems: string[] = []
  const mailbox = createMaildirMailbox({ folder, onProblem: (problem) => problems.push(problem), ...more })
  const place = (...parts: string[]) => join(folder, 'scout', ...parts)
  const ids = async () => {
    const taken = await mailbox.take('scout')
    if (!taken.ok) throw new Error(taken.failure.message)
    return taken.value.map(({ messageId }) => messageId)
  }
  return { folder, problems, mailbox, place, ids }
}

describe('the files', () => {
  test('lie in new, then in cur, and are nobody else’s to read', async () => {
    const { mailbox, place, ids } = await openMailbox()
    await mailbox.put(sampleLetter('m-1'))
    expect(await readdir(place('tmp'))).toEqual([])
    expect(await readdir(place('new'))).toEqual(['m-1.json'])
    expect((await stat(place('new', 'm-1.json'))).mode & 0o777).toBe(0o600)
    expect((await stat(place())).mode & 0o777).toBe(0o700)
    await ids()
    expect(await readdir(place('new'))).toEqual([])
    expect(await readdir(place('cur'))).toEqual([expect.stringMatching(`^m-1\\.json,${process.pid}-`)])
    await mailbox.done('scout', ['m-1'])
    expect(await readdir(place('cur'))).toEqual([])
  })

  test('reading makes no folders', async () => {
    const { folder, ids } = await openMailbox()
    await ids()
    expect(await readdir(folder)).toEqual([])
  })

  test('a broken one is put aside and told once, and hides no other', async () => {
    const { mailbox, place, ids, problems } = await openMailbox()
    for (const id of ['m-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6', 'm-7']) await mailbox.put(sampleLetter(id))
    const line = await readFile(place('new', 'm-2.json'), 'utf8')
    await writeFile(place('new', 'm-2.json'), line.slice(0, -20))
    const altered = (await readFile(place('new', 'm-3.json'), 'utf8')).replace('The words', 'Two words')
    await writeFile(place('new', 'm-3.json'), altered)
    await writeFile(place('new', 'm-4.json'), '')
    await writeFile(place('new', 'm-5.json'), 'x'.repeat(1024 * 1024 + 1))
    // Whole, but another letter's.
    await writeFile(place('new', 'm-6.json'), line)
    await mkdir(place('new', 'folder.json'))
    await symlink('/etc/passwd', place('new', 'link.json'))
    expect(await ids()).toEqual(['m-1', 'm-7'])
    expect(problems).toHaveLength(7)
    expect(problems.join('\n')).toMatch(/put aside as .*m-2\.json.*\.broken; other messages are not affected/)
    expect(await readFile('/etc/passwd', 'utf8')).not.toBe('')
    expect(await ids()).toEqual(['m-1', 'm-7'])
    expect(problems).toHaveLength(7)
    const aside = (await readdir(place('cur'))).filter((name) => name.endsWith('.broken'))
    expect(aside).toHaveLength(7)
    expect(
      await readFile(place('cur', aside.find((name) => name.startsWith('m-3')) ?? ''), 'utf8'),
    ).toContain('Two words')
  })

  test('a letter cut at any byte is never given', async () => {
    const { mailbox, place, ids } = await openMailbox()
    await mailbox.put(sampleLetter('m-1'))
    const whole = await readFile(place('new', 'm-1.json'))
    for (let length = 0; length < whole.length; length++) {
      await writeFile(place('new', 'm-1.json'), whole.subarray(0, length))
      expect(await ids(), `${length} bytes`).toEqual([])
    }
  })

  test('a letter that was moved here from another mailbox is not given', async () => {
    const { mailbox, folder, place, ids, problems } = await openMailbox()
    await mailbox.put(sampleLetter('m-1'))
    await mailbox.put(sampleLetter('m-2', { to: 'other' }))
    await rename(join(folder, 'other/new/m-2.json'), place('new', 'm-2.json'))
    expect(await ids()).toEqual(['m-1'])
    expect(problems).toEqual([expect.stringContaining('is addressed to "other"')])
  })

  test('what is no letter is left alone', async () => {
    const { mailbox, place, ids, problems } = await openMailbox()
    await mailbox.put(sampleLetter('m-1'))
    for (const name of ['.DS_Store', 'notes.txt', 'Thumbs.db']) await writeFile(place('new', name), 'x')
    expect(await ids()).toEqual(['m-1'])
    expect((await readdir(place('new'))).sort()).toEqual(['.DS_Store', 'Thumbs.db', 'notes.txt'])
    expect(problems).toEqual([])
  })

  test('a draft whose writer is long gone is removed, a young one stays', async () => {
    const { mailbox, place, ids } = await openMailbox()
    await mailbox.put(sampleLetter('m-1'))
    for (const name of ['old', 'young']) await writeFile(place('tmp', name), 'half a let')
    const hour = 60 * 60 * 1000
    const ago = (ms: number) => new Date(Date.now() - ms)
    await utimes(place('tmp', 'old'), ago(25 * hour), ago(25 * hour))
    await utimes(place('tmp', 'young'), ago(23 * hour), ago(23 * hour))
    expect(await ids()).toEqual(['m-1'])
    expect(await readdir(place('tmp'))).toEqual(['young'])
  })

  test('letters are read though cur was removed', async () => {
    const { mailbox, place, ids } = await openMailbox()
    await mailbox.put(sampleLetter('m-1'))
    await rename(place('cur'), place('gone'))
    expect(await ids()).toEqual(['m-1'])
  })
})

describe('a disk that refuses', () => {
  const refusing = (code: string) => ({
    open: async () => {
      throw Object.assign(new Error(`${code}: no`), { code })
    },
  })

  test.each([
    ['ENOSPC', /to scout can’t be put in its mailbox: the disk is full .* Free some space/],
    ['EACCES', /to scout can’t be put in its mailbox: you are not allowed .* Check who owns it/],
    ['EROFS', /can only be read at the moment .* Make it writable/],
  ])('%s is told in words', async (code, words) => {
    const { mailbox, ids } = await openMailbox(refusing(code))
    const put = await mailbox.put(sampleLetter('m-1'))
    expect(put).toMatchObject({ ok: false, failure: { type: 'io', message: expect.stringMatching(words) } })
    expect(await ids()).toEqual([])
  })

  test('a letter that could not be written whole leaves nothing', async () => {
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
    const { mailbox, place, ids } = await openMailbox({
      open: async (...call) => {
        const handle = await open(...call)
        const datasync = () => Promise.reject(full)
        return Object.assign(handle, { datasync })
      },
    })
    expect(await mailbox.put(sampleLetter('m-1'))).toMatchObject({ failure: { type: 'io' } })
    expect(await ids()).toEqual([])
    expect(await readdir(place('tmp'))).toEqual([])
  })

  test('a folder that is a file is told in words, when putting and when taking', async () => {
    const { mailbox, folder } = await openMailbox()
    await writeFile(join(folder, 'scout'), '')
    const words = expect.stringContaining(folder)
    expect(await mailbox.put(sampleLetter('m-1'))).toMatchObject({ failure: { type: 'io', message: words } })
    expect(await mailbox.take('scout')).toMatchObject({ failure: { type: 'io', message: words } })
    await mailbox.done('scout', ['m-1'])
  })

  test.skipIf(process.getuid?.() === 0)('a folder that may not be written to is told in words', async () => {
    const { mailbox, place } = await openMailbox()
    await mailbox.put(sampleLetter('m-1'))
    await chmod(place('new'), 0o500)
    expect(await mailbox.put(sampleLetter('m-2'))).toMatchObject({ failure: { type: 'io' } })
    expect(await mailbox.take('scout')).toMatchObject({ failure: { type: 'io' } })
    await chmod(place('new'), 0o700)
    expect(await mailbox.take('scout')).toMatchObject({ ok: true, value: [{ messageId: 'm-1' }] })
  })
})
