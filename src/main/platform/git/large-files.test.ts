import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import type { Git } from './git-client.ts'
import { lacksLargeFiles } from './large-files.ts'

/** git without a setting for large files. */
const git: Pick<Git, 'answers'> = { answers: async () => ok({ code: 1, output: '' }) }

test('attributes that name git-lfs are found; a link to a file without an end is not read to its end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-lfs-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  expect(await lacksLargeFiles(git, folder)).toBe(false)
  await writeFile(join(folder, '.gitattributes'), '*.bin filter=lfs diff=lfs\n')
  expect(await lacksLargeFiles(git, folder)).toBe(true)
  for (const endless of ['/dev/zero', '/proc/self/pagemap']) {
    await rm(join(folder, '.gitattributes'))
    await symlink(endless, join(folder, '.gitattributes'))
    expect(await lacksLargeFiles(git, folder)).toBe(false)
  }
})
