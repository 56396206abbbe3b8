import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isInside } from '../folders/folders.ts'
import { editorCommand, type ProgramCall } from './editor-command.ts'
import { checkLink, createSystemOpener, type SystemOpenerOptions, terminalCommands } from './system-opener.ts'

let root: string
let repo: string
const done: string[] = []

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'troupe-places-')))
  repo = join(root, 'repo')
  await mkdir(join(repo, 'src'), { recursive: true })
  await mkdir(join(root, 'repo-evil'))
  await mkdir(join(root, 'data', 'tasks'), { recursive: true })
  await writeFile(join(repo, 'src', 'a.ts'), '')
  await writeFile(join(root, 'repo-evil', 'b.ts'), '')
  done.length = 0
})
afterEach(() => rm(root, { recursive: true, force: true }))

function open(more: Partial<SystemOpenerOptions> = {}) {
  return createSystemOpener({
    platform: 'linux',
    environment: {},
    dataFolder: join(root, 'data'),
    editor: () => 'auto',
    isKnown: async (path) => isInside(repo, path),
    start: async ({ program, args }: ProgramCall) => {
      done.push(`${program} ${args.join(' ')}`)
      return true
    },
    shell: {
      openPath: async (path) => {
        done.push(`open ${path}`)
        return ''
      },
      showItemInFolder: (path) => done.push(`show ${path}`),
      openExternal: async (url) => {
        done.push(`link ${url}`)
      },
    },
    confirmLink: async () => true,
    ...more,
  })
}

describe('a file', () => {
  test('opens at its line in the editor of the settings', async () => {
    await open({ editor: () => 'zed' }).openFile({ folder: repo, path: 'src/a.ts', line: 7 })
    expect(done).toEqual([`zed ${join(repo, 'src/a.ts')}:7`])
  })

  test('opens with the system if no editor is known', async () => {
    const answer = await open().openFile({ folder: repo, path: join(repo, 'src/a.ts'), line: null })
    expect(answer).toEqual({ ok: true, value: undefined })
    expect(done).toEqual([`open ${join(repo, 'src/a.ts')}`])
  })

  test('that this program found itself opens wherever it is, and a folder is shown', async () => {
    const own = join(root, 'repo-evil', 'b.ts')
    expect(await open().openFound(own)).toEqual({ ok: true, value: undefined })
    expect(await open().openFound(repo)).toEqual({ ok: true, value: undefined })
    expect(done).toEqual([`open ${own}`, `show ${repo}`])
    expect(await open().openFound(join(root, 'gone'))).toMatchObject({ failure: { type: 'not-found' } })
  })

  const at7 = () => ({ folder: repo, path: 'src/a.ts', line: 7 })
  const shell = (problem: string) => ({
    openPath: async () => problem,
    showItemInFolder: () => {},
    openExternal: async () => {},
  })
  test.each([
    [
      'at a line without an editor',
      {},
      'No editor was found, so src/a.ts was opened with the system’s program, not at line 7.',
    ],
    [
      'without an editor and without a program of the system',
      { shell: shell('Failed to open path') },
      'No editor was found, so src/a.ts was not opened (the system says: Failed to open path).',
    ],
    [
      'when the chosen editor does not start',
      { editor: () => 'code' as const, start: async () => false },
      'The editor “code” did not start, so src/a.ts was opened with the system’s program.',
    ],
  ])('%s, the user is told what happened and what to do', async (_, more, message) => {
    expect(await open(more).openFile(at7())).toEqual({
      ok: false,
      failure: {
        type: 'no-editor',
        message: `${message} Choose an editor in Settings, “General”.`,
      },
    })
  })

  test('is shown in its folder if the system would run it, and the user is told', async () => {
    await writeFile(join(repo, 'run'), '')
    await chmod(join(repo, 'run'), 0o755)
    await writeFile(join(repo, 'start.DESKTOP'), '')
    for (const path of ['run', 'start.DESKTOP'])
      expect(await open().openFile({ folder: repo, path, line: null })).toMatchObject({
        ok: false,
        failure: { message: expect.stringContaining(`so ${path} is shown in its folder`) },
      })
    expect(done).toEqual([`show ${join(repo, 'run')}`, `show ${join(repo, 'start.DESKTOP')}`])
  })

  test.each([
    ['above the folder', '../repo-evil/b.ts'],
    ['beside it, with the same beginning', '/ROOT/repo-evil/b.ts'],
    ['behind a link that leads out', 'link/b.ts'],
    ['far away', '/etc/hostname'],
  ])('is refused %s', async (_, path) => {
    await symlink(join(root, 'repo-evil'), join(repo, 'link'))
    const answer = await open().openFile({ folder: repo, path: path.replace('/ROOT', root), line: null })
    expect(answer).toMatchObject({ ok: false, failure: { type: 'outside' } })
    expect(done).toEqual([])
  })

  test('is refused in a folder that is not open', async () => {
    const answer = await open().openFile({ folder: join(root, 'repo-evil'), path: 'b.ts', line: null })
    expect(answer).toMatchObject({ ok: false, failure: { type: 'outside' } })
    expect(done).toEqual([])
  })

  test('that does not exist is a failure with a message', async () => {
    expect(await open().openFile({ folder: repo, path: 'src/gone.ts', line: 1 })).toMatchObject({
      ok: false,
      failure: { type: 'not-found' },
    })
  })
})

describe('the folder', () => {
  test('opens in the first terminal that starts', async () => {
    const tried: string[] = []
    const places = open({
      environment: { TERMINAL: 'ghostty' },
      start: async ({ program }, { cwd }) => {
        tried.push(`${program} in ${cwd}`)
        return program === 'gnome-terminal'
      },
    })
    expect((await places.openTerminal(repo)).ok).toBe(true)
    expect(tried).toEqual([
      `ghostty in ${repo}`,
      `x-terminal-emulator in ${repo}`,
      `gnome-terminal in ${repo}`,
    ])
    expect(await open({ start: async () => false }).openTerminal(repo)).toMatchObject({
      failure: { type: 'no-terminal' },
    })
  })

  test('is passed as an argument to terminals that need it', () => {
    expect(terminalCommands('/a b', 'darwin', {})[0]?.args).toContain('/a b')
    expect(terminalCommands('C:\\a', 'win32', {})[0]?.args).toContain('C:\\a')
  })

  test('and the data folder can be shown, no other folder', async () => {
    expect((await open().reveal(join(repo, 'src'))).ok).toBe(true)
    expect((await open().reveal(join(root, 'data', 'tasks'))).ok).toBe(true)
    for (const path of [join(root, 'repo-evil'), '/etc/hostname', join(repo, 'gone')])
      expect((await open().reveal(path)).ok).toBe(false)
    expect(done).toEqual([`show ${join(repo, 'src')}`, `show ${join(root, 'data', 'tasks')}`])
  })
})

describe('a link', () => {
  test('opens after the user has confirmed its URL', async () => {
    const seen: string[] = []
    const confirmLink = async (url: string) => {
      seen.push(url)
      return seen.length === 1
    }
    await open({ confirmLink }).openLink('https://exаmple.com/a b')
    await open({ confirmLink }).openLink('https://example.com/')
    expect(seen).toEqual(['https://xn--exmple-4nf.com/a%20b', 'https://example.com/'])
    expect(done).toEqual(['link https://xn--exmple-4nf.com/a%20b'])
  })

  test.each([
    'http://example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'vscode://x',
    'smb://host/share',
    'https://google.com@evil.com/',
    'not a link',
    '',
  ])('%j is refused before the user is asked', async (url) => {
    const confirmLink = () => Promise.reject(new Error('asked'))
    expect(await open({ confirmLink }).openLink(url)).toMatchObject({ failure: { type: 'bad-link' } })
    expect(done).toEqual([])
  })

  test('mailto links are allowed', () => {
    expect(checkLink('mailto:a@example.com')).toEqual({ ok: true, value: 'mailto:a@example.com' })
  })
})

describe('the editor', () => {
  const location = { path: '/repo/a.ts', line: 3 }
  test.each([
    [{ VISUAL: '/usr/bin/code --wait' }, '/usr/bin/code', ['--goto', '/repo/a.ts:3']],
    [{ VISUAL: 'vim', EDITOR: 'subl -w' }, 'subl', ['/repo/a.ts:3']],
    [{ EDITOR: 'gvim' }, 'gvim', ['+3', '/repo/a.ts']],
    [{ EDITOR: 'idea' }, 'idea', ['--line', '3', '/repo/a.ts']],
  ])('of the environment %j is %s', (environment, program, args) => {
    expect(editorCommand(location, 'auto', environment)).toEqual({ program, args })
  })

  test('terminal editors are not used', () => {
    expect(editorCommand(location, 'auto', { VISUAL: 'vim', EDITOR: 'nano' })).toBeNull()
    expect(editorCommand(location, 'auto', { VISUAL: 'rm -rf /' })).toBeNull()
    expect(editorCommand(location, 'auto', {})).toBeNull()
  })

  test('without a line gets the path alone', () => {
    expect(editorCommand({ ...location, line: null }, 'code', {})?.args).toEqual(['/repo/a.ts'])
  })
})
