import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGit } from './git-client.ts'

test('input that is empty ends, as any other does', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-git-'))
  const git = createGit({ environment: { PATH: process.env['PATH'] ?? '', HOME: folder } })
  const hashOf = async (input: string) => git.run(folder, ['hash-object', '--stdin'], { input })
  expect(await hashOf('')).toEqual({ ok: true, value: 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n' })
  expect(await hashOf('one\n')).toEqual({ ok: true, value: '5626abf0f72e58d7a153368ba57db4c673c0e171\n' })
  await rm(folder, { recursive: true })
})
