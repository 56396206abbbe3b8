/** The command line as users get it: from npm, and with a Node of its own. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { copyPackages, copyPortable, packForNpm } from './command-line.ts'

const isBuilt = basename(process.env['TROUPE_TEST_PROGRAM'] ?? '') === 'cli.mjs'

describe.runIf(isBuilt)('the packed command line', () => {
  test('is a package of npm without sources and tests, which rehearses a task', async () => {
    const home = temporaryHome()
    const archive = await packForNpm(home)
    const listed = spawnSync('tar', ['-tzf', archive], { encoding: 'utf8' }).stdout.trim().split('\n')
    expect(listed).toContain('package/agents/Explore.md')
    expect(
      listed.filter((path) => /\.tsx?$|\.test\.|\.compiled$|node_modules|\/images\//.test(path)),
    ).toEqual([])
    expect(listed.filter((path) => path.startsWith('package/out/')).sort()).toEqual(
      [
        ...['cli-main.cjs', 'cli.mjs', 'documents.cjs', 'sandbox.mjs', 'search.cjs'],
        ...['seccomp/arm64/apply-seccomp', 'seccomp/x64/apply-seccomp', 'shared-page.html'],
      ].map((path) => `package/out/${path}`),
    )

    // As npm installs it: the packages that it needs are beside it.
    const place = join(home, 'node_modules', 'troupe')
    mkdirSync(place, { recursive: true })
    expect(spawnSync('tar', ['-xzf', archive, '-C', place, '--strip-components=1']).status).toBe(0)
    copyPackages(home)
    const project = join(home, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'parser.js'), 'export function parse(text) {\n  return text.split(",")\n}\n')
    const program = join(place, 'out', 'cli.mjs')
    const args = [program, 'run', 'find the parser', '--cwd', project, '--trust', '--rehearsal', '--json']
    const { status, output } = run(home, process.execPath, args)
    expect(output).toContain('parser.js:1')
    expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toMatchObject({ type: 'result', ok: true })
    expect(status).toBe(0)
  })

  test('runs through a link with its own Node, and says what a worker lacks', () => {
    const home = temporaryHome()
    copyPortable(join(home, 'troupe'))
    symlinkSync(join(home, 'troupe', 'bin', 'troupe'), join(home, 'link'))
    const troupe = (...args: string[]) => run(home, join(home, 'link'), args)
    expect(troupe('--version')).toMatchObject({ status: 0 })
    const { status, output } = troupe('worker', '--connect', 'nats://127.0.0.1:1', '--check')
    expect(output).toMatch(/^FAILED {2}server {6}No NATS server listens/m)
    for (const what of ['git', 'disk', 'sandbox', 'model'])
      expect(output).toMatch(new RegExp(`^\\w+ +${what} `, 'm'))
    expect(status).toBe(1)
    expect(troupe('agents', 'list').output).toContain('general-purpose')
  })
})

function temporaryHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-package-')))
  onTestFinished(() => rmSync(home, { recursive: true }))
  return home
}

function run(home: string, file: string, args: readonly string[]) {
  const env = { PATH: '/usr/bin:/bin', HOME: home }
  const { status, stdout, stderr } = spawnSync(file, args, { env, cwd: '/', encoding: 'utf8' })
  return { status, output: stderr + stdout }
}
