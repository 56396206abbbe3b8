/** `troupe trust …` and `troupe agents approve`, with the real program. */
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import { defaultSettings, type Settings, type SettingsPatch } from '../../../shared/settings/settings.ts'
import { createFolderTrust } from '../../platform/system/folder-trust.ts'
import { commandLine } from '../../testing/command-line.ts'
import { trustHandlers } from './feature.ts'

const FILE = '.claude/agents/reviewer.md'
const agent = (tools: string) => `---\nname: reviewer\ndescription: reviews\ntools: ${tools}\n---\nReview.\n`

test('a folder is trusted, listed, and not trusted any more', async () => {
  const cli = await commandLine()
  await cli.write({ [FILE]: agent('Read') })
  expect((await cli.run(['trust', 'list'])).output).toContain('No folder is trusted.')
  const early = await cli.run(['agents', 'approve', 'reviewer'])
  expect(early).toMatchObject({ code: 1, output: '' })
  expect(early.errors).toContain('This folder is not trusted')

  // By another spelling of the same folder.
  await symlink(cli.folder, `${cli.folder}-link`)
  const added = await cli.run(['trust', 'add', `${cli.folder}-link/`])
  expect(added).toMatchObject({ code: 0, errors: '' })
  expect(added.output).toContain(`${cli.folder} and the folders in it are trusted.`)
  expect((await cli.run(['trust', 'list'])).output).toBe(`${cli.folder}\n`)
  expect((await cli.run(['agents', 'list'])).output).toContain('reviewer')

  await mkdir(join(cli.folder, 'api'))
  const inside = await cli.run(['trust', 'revoke', join(cli.folder, 'api')])
  expect(inside).toMatchObject({ code: 1 })
  expect(inside.errors).toContain('trusted because a folder around it is')

  expect(await cli.run(['trust', 'revoke', cli.folder])).toMatchObject({ code: 0 })
  expect((await cli.run(['agents', 'list'])).errors).toContain('This folder is not trusted')
  expect(await cli.run(['trust', 'revoke'])).toMatchObject({ code: 1 })
})

test('an agent whose rights grew is refused by name, shown and approved', async () => {
  const cli = await commandLine()
  await cli.write({ [FILE]: agent('Read') })
  await cli.run(['trust', 'add'])
  await cli.write({ [FILE]: agent('Read, Bash') })
  const refused = await cli.run(['run', 'review', '--agent', 'reviewer', '--rehearsal'])
  expect(refused.code).not.toBe(0)
  expect(refused.errors).toContain('has more rights (more tools: Bash)')
  expect(refused.errors).toContain('troupe agents approve reviewer')

  const unknown = await cli.run(['agents', 'approve', 'reviever'])
  expect(unknown).toMatchObject({ code: 1 })
  expect(unknown.errors).toContain('These do: reviewer.')
  const approved = await cli.run(['agents', 'approve', 'reviewer'])
  expect(approved).toMatchObject({ code: 0, errors: '' })
  expect(approved.output).toContain('-tools: Read\n+tools: Read, Bash\n')
  expect(approved.output).toContain('reviewer is approved as shown.')
  expect((await cli.run(['agents', 'list'])).output).toMatch(/reviewer +project +reviews/)
  expect((await cli.run(['agents', 'approve', 'reviewer'])).errors).toContain('None does.')
})

test('the same command trusts a folder in the window: it approves the agents that the folder has', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-trust-')))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const path = join(root, 'repo')
  await mkdir(path)
  const settings = changeable([])
  const approved: string[] = []
  const { 'folder.trust': trust } = trustHandlers(
    { settings, isTrusted: createFolderTrust({ settings, home: root, dataFolder: join(root, 'data') }) },
    {
      approveAll: async (folder) => {
        approved.push(folder)
        return ok(undefined)
      },
    },
  )
  expect(await trust({ path, trusted: true })).toEqual(ok({ path, trusted: true }))
  expect(await trust({ path, trusted: true })).toEqual(ok({ path, trusted: true }))
  expect(settings.current.trustedFolders).toEqual([path])
  expect(await trust({ path, trusted: false })).toEqual(ok({ path, trusted: false }))
  expect(settings.current.trustedFolders).toEqual([])
  // The agents that the folder had are approved with the trust, not with its end.
  expect(approved).toEqual([path, path])
})

test('a folder that is gone can lose its trust, and can’t get it', async () => {
  const settings = changeable(['/gone/repo', '/other'])
  const { 'folder.trust': trust } = trustHandlers(
    { settings, isTrusted: () => false },
    { approveAll: async () => ok(undefined) },
  )
  expect(await trust({ path: '/gone/repo', trusted: true })).toMatchObject({
    failure: { type: 'no-folder' },
  })
  expect(await trust({ path: '/gone/repo', trusted: false })).toEqual(
    ok({ path: '/gone/repo', trusted: false }),
  )
  expect(settings.current.trustedFolders).toEqual(['/other'])
  expect(await trust({ path: '/gone/repo', trusted: false })).toMatchObject({
    failure: { type: 'no-folder' },
  })
})

function changeable(trustedFolders: string[]) {
  const current = { ...defaultSettings, trustedFolders }
  return { current, change: async (patch: SettingsPatch) => ok(Object.assign(current, patch) as Settings) }
}
