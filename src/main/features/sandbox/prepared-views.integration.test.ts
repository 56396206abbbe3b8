/** Commands whose view was mounted for an earlier command. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CommandLimits } from '../../runtime/ports/sandbox.ts'
import { hasSandbox, type SandboxedShell, sandboxedShell } from './testing/sandboxed-shell.ts'

describe.runIf(hasSandbox)('a prepared view', () => {
  let its: SandboxedShell

  /** Namespaces of views, kept so that no later one gets the number of an earlier one. */
  const seen: number[] = []

  beforeEach(() => {
    its = sandboxedShell()
  })
  afterEach(async () => {
    for (const file of seen.splice(0)) closeSync(file)
    await its.close()
  })

  /** The view in which a command would run now, by the number of its namespace; null: its own. */
  async function viewNow(more: Partial<CommandLimits> = {}): Promise<number | null> {
    const limits = { reads: [], writes: [its.folder], domains: [], refusedDomains: [], agentId: 'a-1' }
    const confined = await its.sandbox.confine({
      limits: { folder: its.folder, ...limits, ...more },
      cwd: its.folder,
      argv: () => ['true'],
    })
    if (!confined.ok) throw new Error(confined.failure.message)
    const namespace = confined.value.args.find((arg) => arg.startsWith('--mount='))?.slice('--mount='.length)
    if (namespace !== undefined) seen.push(openSync(namespace, 'r'))
    await confined.value.end('')
    return namespace === undefined ? null : fstatSync(seen.at(-1) ?? -1).ino
  }
  const at = (name: string) => join(its.folder, name)
  const textAt = (name: string) => readFileSync(at(name), 'utf8')

  test('serves the commands of one agent, and no other agent', async () => {
    // Something else on this machine may change what its folders show meanwhile, which needs another view.
    const views = new Set<number | null>()
    for (let count = 0; count < 6; count++) views.add(await viewNow())
    expect(views.size).toBeLessThan(6)
    expect(views).not.toContain(null)
    expect(views).not.toContain(await viewNow({ agentId: 'a-2' }))
    expect(views).not.toContain(await viewNow({ writes: [] }))
  })

  test('is the view that a command without one has', async () => {
    const mounts = `cut -d' ' -f4- /proc/self/mountinfo | sed 's/ \\(shared\\|master\\):[0-9]*//g' | grep -v programs | sort`
    await its.run('true')
    const inView = await its.run(mounts)
    const programs = join(its.base, 'programs')
    mkdirSync(programs)
    writeFileSync(join(programs, 'nsenter'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const PATH = `${programs}:${process.env['PATH']}`
    const own = sandboxedShell({ environment: { PATH, HOME: its.home } })
    try {
      const named = (text: string, shell: SandboxedShell) =>
        text.replaceAll(shell.base, 'BASE').replace(/troupe-sandbox-[\w.-]+/g, 'SANDBOX')
      expect(named(inView.output, its)).toBe(named((await own.run(mounts)).output, own))
    } finally {
      await own.close()
    }
  })

  test('keeps what is missing from being made, in each command', async () => {
    for (let count = 0; count < 3; count++) {
      const end = await its.run(
        'echo evil > .envrc; rm -f .envrc; mv .envrc x; mkdir .vscode/a; echo in > in.txt',
      )
      expect(end.output).toMatch(/^(.*(Read-only file system|Device or resource busy)\n){4}$/)
      expect(readdirSync(its.folder)).toEqual(['in.txt'])
    }
  })

  test('is not used once the user has replaced a file in it', async () => {
    writeFileSync(at('CLAUDE.md'), 'one')
    const before = await viewNow()
    writeFileSync(at('new.md'), 'two')
    renameSync(at('new.md'), at('CLAUDE.md'))
    expect((await its.run('echo evil > CLAUDE.md; cat CLAUDE.md')).output).toMatch(/Read-only.*\ntwo$/)
    expect(textAt('CLAUDE.md')).toBe('two')
    expect(await viewNow()).not.toBe(before)
  })

  test('is not used for a file that came since', async () => {
    const before = await viewNow()
    writeFileSync(at('CLAUDE.md'), 'mine')
    expect((await its.run('echo evil > CLAUDE.md')).output).toContain('Read-only')
    expect(textAt('CLAUDE.md')).toBe('mine')
    rmSync(at('CLAUDE.md'))
    expect((await its.run('echo evil > CLAUDE.md')).output).toContain('Read-only')
    expect(existsSync(at('CLAUDE.md'))).toBe(false)
    expect(await viewNow()).not.toBe(before)
  })

  test('is not used once its folder was moved, and another one is at its path', async () => {
    const before = await viewNow()
    renameSync(its.folder, `${its.folder}-moved`)
    mkdirSync(its.folder)
    await its.run('echo here > here.txt')
    expect(readdirSync(its.folder)).toEqual(['here.txt'])
    expect(readdirSync(`${its.folder}-moved`)).toEqual([])
    expect(await viewNow()).not.toBe(before)
  })

  test('hides a key file that was made since, and what the user has denied since', async () => {
    await its.close()
    its = sandboxedShell({ secrets: ['/var/lib/troupe-test-key'] })
    const library = join(its.base, 'library')
    mkdirSync(library)
    writeFileSync(join(library, 'a.txt'), 'LIBRARY')
    const read = `cat /var/lib/troupe-test-key ${library}/a.txt`
    const more = { reads: [library] }
    try {
      expect((await its.run(read, more)).output).toContain('LIBRARY')
      writeFileSync('/var/lib/troupe-test-key', 'KEY')
      expect((await its.run(read, more)).output).toMatch(/^(?!.*KEY).*LIBRARY/s)
      const filesystem = { ...its.settings.filesystem, denyRead: [library] }
      its.settings = { ...its.settings, filesystem }
      expect((await its.run(read, more)).output).not.toMatch(/KEY|LIBRARY/)
    } finally {
      rmSync('/var/lib/troupe-test-key', { force: true })
    }
  })

  test('that lost a file while it was made is never used', async () => {
    await its.close()
    const programs = join(its.base, '..', `troupe-programs-${process.pid}`)
    mkdirSync(programs)
    // At the moment when the view is ready, the user's editor replaces the file.
    const script = `#!/bin/bash
case " $* " in *" --ro-bind / /tmp "*CLAUDE.md*)
  /usr/bin/bwrap "$@" | { read -r; cp -p "$PROJECT/CLAUDE.md" "$PROJECT/n"; mv "$PROJECT/n" "$PROJECT/CLAUDE.md"; echo; } ;;
*) exec /usr/bin/bwrap "$@" ;; esac
`
    writeFileSync(join(programs, 'bwrap'), script)
    chmodSync(join(programs, 'bwrap'), 0o755)
    its = sandboxedShell({ environment: { PATH: `${programs}:${process.env['PATH']}` } })
    writeFileSync(join(programs, 'bwrap'), script.replaceAll('$PROJECT', its.folder))
    writeFileSync(at('CLAUDE.md'), 'mine')
    try {
      for (let count = 0; count < 2; count++) {
        expect(await viewNow()).toBe(null)
        await its.run('echo evil > CLAUDE.md')
        expect(textAt('CLAUDE.md')).toBe('mine')
      }
    } finally {
      rmSync(programs, { recursive: true })
    }
  })

  test('is no longer made for an agent whose commands change it each time', async () => {
    const views: (number | null)[] = []
    for (let count = 0; count < 4; count++) {
      mkdirSync(at(`package-${count}`))
      writeFileSync(at(`package-${count}/CLAUDE.md`), 'mine')
      views.push(await viewNow())
    }
    expect(views.map((view) => view === null)).toEqual([false, false, false, true])
    await its.run('echo evil > package-3/CLAUDE.md')
    expect(textAt('package-3/CLAUDE.md')).toBe('mine')
  })

  test('has no process while no command runs, so that nothing is left of a killed program', async () => {
    await its.run('true')
    const running = () =>
      execFileSync('ps', ['--ppid', String(process.pid), '-o', 'comm='], { encoding: 'utf8' }).includes(
        'bwrap',
      )
    while (running()) await new Promise((resolve) => setImmediate(resolve))
    expect(await viewNow()).not.toBe(null)
  })
})
