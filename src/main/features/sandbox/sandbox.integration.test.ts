/** Commands in the real sandbox. */
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { defaultSandboxSettings, type SandboxSettings } from '../../../shared/settings/sandbox-settings.ts'
import { createGit } from '../../platform/git/git-client.ts'
import { childEnvironment } from '../../platform/shell/child-environment.ts'
import { type CreatedShell, createShell } from '../../platform/shell/create-shell.ts'
import { isProtected, STARTUP_PATHS } from '../../runtime/permissions/startup-files.ts'
import type { CommandLimits } from '../../runtime/ports/sandbox.ts'
import { type CreatedSandbox, createSandbox, type SandboxOptions } from './create-sandbox.ts'
import { sandboxScript, seccompProgram } from './feature.ts'
import { createPrivateGits } from './private-git.ts'

const ROOT = join(import.meta.dirname, '../../../..')
/** The sandbox has its own devices, so memory folders below /dev are not in it. */
const TEMP = '/var/tmp'

let base: string
let folder: string
let home: string
let settings: SandboxSettings = defaultSandboxSettings

const optionsOf = (more: Partial<SandboxOptions> = {}): SandboxOptions => ({
  script: sandboxScript(ROOT),
  seccomp: seccompProgram(ROOT),
  environment: childEnvironment(process.env),
  home,
  dataFolder: join(home, 'data'),
  tempFolder: TEMP,
  secrets: [join(home, '.ssh'), join(home, '.netrc'), join(home, 'missing')],
  isProtected,
  startupPaths: () => STARTUP_PATHS.project,
  git: createPrivateGits({
    store: join(home, 'data'),
    git: createGit({ environment: childEnvironment(process.env) }),
  }),
  settings: () => settings,
  ...more,
})

const hasSandbox =
  process.platform === 'linux' && existsSync('/usr/bin/bwrap') && existsSync('/usr/bin/socat')

describe.runIf(hasSandbox)('a command in the sandbox', () => {
  let sandbox: CreatedSandbox
  let shell: CreatedShell

  beforeAll(() => {
    home = realpathSync(mkdtempSync(join(TEMP, 'troupe-home-')))
    mkdirSync(join(home, '.ssh'))
    writeFileSync(join(home, '.ssh', 'id_rsa'), 'PRIVATE')
    writeFileSync(join(home, '.netrc'), 'PASSWORD')
    writeFileSync(join(home, '.ssh', 'known_hosts'), 'host key\n')
    sandbox = createSandbox(optionsOf({ sshAgent: join(home, 'agent-link') }))
    shell = createShell({ environment: childEnvironment(process.env), confine: sandbox.confine })
  })
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(TEMP, 'troupe-sandboxed-')))
    folder = join(base, 'project')
    mkdirSync(folder)
    settings = defaultSandboxSettings
  })
  afterEach(() => rmSync(base, { recursive: true, force: true }))
  afterAll(async () => {
    await shell.killAll()
    await sandbox.close()
    rmSync(home, { recursive: true, force: true })
  })

  async function run(command: string, more: Partial<CommandLimits> = {}, cwd = folder) {
    const limits = {
      folder,
      reads: [],
      writes: [folder],
      domains: [],
      refusedDomains: [],
      agentId: 'a-1',
      ...more,
    }
    const signal = new AbortController().signal
    const ended = await shell.shell.run({ command, cwd, timeoutMs: 60_000, signal, onOutput() {}, limits })
    if (!ended.ok) throw new Error(ended.failure.message)
    return ended.value
  }

  test('writes to its folder and its temporary folder, and nowhere else', async () => {
    const beside = join(base, 'beside')
    mkdirSync(beside)
    const end = await run(
      `echo in > in.txt; echo t > "$TMPDIR/t" && cat "$TMPDIR/t"; echo out > ${beside}/out.txt; echo x > /etc/troupe-test; exit 7`,
    )
    expect(end).toMatchObject({ exitCode: 7, cwd: folder })
    expect(end.output).toMatch(/^t\n.*No such file or directory\n.*Read-only file system\n$/s)
    expect(end.sandboxNotes?.join()).toContain(`see neither ${beside}/out.txt`)
    expect(readFileSync(join(folder, 'in.txt'), 'utf8')).toBe('in\n')
    expect(existsSync(join(beside, 'out.txt'))).toBe(false)
    expect(existsSync('/etc/troupe-test')).toBe(false)
  })

  test.runIf(process.getuid?.() === 0)('sees no files of servers, disks and other users', async () => {
    const others = ['/srv', '/mnt', '/var/backups', '/root'].filter((path) => existsSync(path))
    const notes = others.map((path) => join(path, `troupe-note-${process.pid}`))
    for (const note of notes) writeFileSync(note, 'theirs')
    try {
      const end = await run(`cat ${notes.join(' ')}; ls -A ${others.join(' ')}; ls -d /usr/bin /etc/passwd`)
      expect(end.output).not.toContain('theirs')
      expect(end.output.match(/No such file/g)).toHaveLength(others.length)
      expect(end.output).toContain('/etc/passwd\n/usr/bin')
    } finally {
      for (const note of notes) rmSync(note)
    }
  })

  test('of an agent that only reads changes nothing', async () => {
    writeFileSync(join(folder, 'a.txt'), 'a')
    const end = await run('cat a.txt; echo b > a.txt; rm a.txt', { writes: [] })
    expect(end.output).toMatch(/^a.*Read-only file system.*Read-only file system/s)
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a')
  })

  test('reads no key files, also through a link', async () => {
    const end = await run(
      `cat ${home}/.ssh/id_rsa ${home}/.netrc; ln -s ${home}/.ssh keys; cat keys/id_rsa; ls ${home}`,
    )
    expect(end.output).not.toMatch(/PRIVATE|PASSWORD/)
  })

  test('has no network, no local sockets, and no processes of others', async () => {
    const server = createServer((_request, response) => response.end('REACHED'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const end = await run(
      `exec 3<>/dev/tcp/127.0.0.1/${port} && echo REACHED; ls -d /proc/[0-9]* | wc -l; python3 -c 'import socket; socket.socket(socket.AF_UNIX); print("SOCKET")'`,
    )
    server.close()
    expect(end.output).not.toContain('REACHED')
    expect(end.output).not.toContain('SOCKET')
    expect(Number(/^\d+$/m.exec(end.output)?.[0])).toBeLessThan(12)
  })

  test('reaches the hosts that are allowed to its agent, and the others are told', async () => {
    const server = createServer((_request, response) => response.end('REACHED'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const get = `curl -sS --noproxy nothing http://127.0.0.1:${port}/`
    const reached = await run(get, { domains: ['127.0.0.1'], agentId: 'a-allowed' })
    expect(reached.output).toContain('REACHED')
    expect(reached.refusedHosts).toBeUndefined()
    const other = await run(get, { domains: ['example.com'], agentId: 'a-other' })
    expect(other.output).not.toContain('REACHED')
    expect(other.refusedHosts).toEqual([`127.0.0.1:${port}`])
    const denied = await run(get, { domains: ['127.0.0.1'], refusedDomains: ['127.0.0.1'] })
    expect(denied.output).not.toContain('REACHED')
    server.close()
  })

  test('reaches the local sockets that the user allows, and no others', async () => {
    const [allowed, other] = [join(base, 'agent.sock'), join(base, 'library', 'docker.sock')]
    mkdirSync(dirname(other))
    const servers = [allowed, other].map((path) =>
      createSocketServer((socket) => socket.end('REACHED')).listen(path),
    )
    await Promise.all(servers.map((server) => once(server, 'listening')))
    rmSync(join(home, 'agent-link'), { force: true })
    symlinkSync(allowed, join(home, 'agent-link'))
    const ask = (path: string) =>
      `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect("${path}"); print(s.recv(9))'`
    const more = { reads: [dirname(other)] }
    expect((await run(ask(allowed), more)).output).not.toContain('REACHED')
    const network = { ...defaultSandboxSettings.network, allowUnixSockets: [allowed] }
    settings = { ...defaultSandboxSettings, network }
    expect((await run(ask(allowed), more)).output).toContain('REACHED')
    expect((await run(`ls ${dirname(other)}; ${ask(other)}`, more)).output).toMatch(
      /^docker.sock\n(?!.*REACHED)/s,
    )
    settings = { ...settings, network: { ...network, allowUnixSockets: ['$SSH_AUTH_SOCK'] } }
    const end = await run(
      `echo "$SSH_AUTH_SOCK"; cat ${home}/.ssh/known_hosts ${home}/.ssh/id_rsa; ${ask(allowed)}`,
    )
    expect(end.output).toContain(`${allowed}\nhost key\n`)
    expect(end.output).toContain('REACHED')
    expect(end.output).not.toContain('PRIVATE')
    for (const server of servers) server.close()
  })

  test('reaches a server of its own agent while that runs, and no other', async () => {
    const port = 4567
    const serve = `python3 -c 'import http.server as h
class H(h.BaseHTTPRequestHandler):
  def do_GET(s): s.send_response(200); s.end_headers(); s.wfile.write(b"SERVED")
s = h.HTTPServer(("127.0.0.1", ${port}), H); open("ready", "w"); s.serve_forever()'`
    const get = `curl -s --max-time 5 http://localhost:${port}/`
    const stopping = new AbortController()
    const limits = { folder, reads: [], writes: [folder], domains: [], refusedDomains: [], agentId: 'a-1' }
    const asked = { command: serve, cwd: folder, timeoutMs: 60_000, limits, onOutput() {} }
    const serving = shell.shell.run({ ...asked, signal: stopping.signal, onLines() {} })
    while (!existsSync(join(folder, 'ready'))) await new Promise((resolve) => setImmediate(resolve))
    expect((await run(get)).output).toBe('SERVED')
    const beside = join(base, 'beside')
    mkdirSync(beside)
    const others: readonly Partial<CommandLimits>[] = [
      { agentId: 'a-2' },
      // A command that may do less does not get it done by a server that may do more.
      { writes: [] },
      { domains: ['example.com'] },
      { writes: [folder, beside] },
    ]
    for (const more of others)
      expect(await run(get, more), JSON.stringify(more)).toMatchObject({ output: '', exitCode: 7 })
    // Nor does the user.
    const outside = execFile('curl', ['-s', '--max-time', '5', `http://localhost:${port}/`])
    expect(await once(outside, 'exit')).toEqual([7, null])
    stopping.abort()
    expect(await serving).toMatchObject({ value: { ended: 'aborted' } })
    expect(await run(get)).toMatchObject({ output: '', exitCode: 7 })
  })

  test('of agents with hosts share a proxy in their network, each with its own hosts', async () => {
    const server = createServer((_request, response) => response.end('REACHED'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const get = `curl -sS --noproxy nothing http://127.0.0.1:${port}/`
    const more = { domains: ['127.0.0.1'], agentId: 'a-proxied' }
    const ends = await Promise.all([run(get, more), run(get, more), run(`sleep 0.2; ${get}`, more)])
    expect(ends.map(({ output }) => output)).toEqual(['REACHED', 'REACHED', 'REACHED'])
    server.close()
  })

  test('has a network of its own where commands can not join one, and reaches its hosts', async () => {
    const programs = join(base, 'programs')
    mkdirSync(programs)
    for (const name of ['bwrap', 'socat']) symlinkSync(`/usr/bin/${name}`, join(programs, name))
    writeFileSync(join(programs, 'nsenter'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const its = createSandbox(optionsOf({ environment: { PATH: programs } }))
    const itsShell = createShell({ environment: childEnvironment(process.env), confine: its.confine })
    const server = createServer((_request, response) => response.end('REACHED'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const limits = { folder, reads: [], writes: [folder], refusedDomains: [], agentId: 'a-1' }
    const ended = await itsShell.shell.run({
      command: `curl -sS --noproxy nothing http://127.0.0.1:${port}/`,
      ...{ cwd: folder, timeoutMs: 60_000, signal: new AbortController().signal, onOutput() {} },
      limits: { ...limits, domains: ['127.0.0.1'] },
    })
    expect(ended).toMatchObject({ value: { output: 'REACHED' } })
    expect(
      await its.confine({ limits: { ...limits, domains: [] }, cwd: folder, argv: () => ['true'] }),
    ).toMatchObject({
      value: { program: join(programs, 'bwrap'), args: expect.arrayContaining(['--unshare-net']) },
    })
    server.close()
    await its.close()
  })

  test('reaches a host with ssh through its proxy', async () => {
    let greet = (_text: string) => {}
    const greeted = new Promise<string>((resolve) => {
      greet = resolve
    })
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', (bytes) => {
        greet(String(bytes))
        socket.destroy()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const line = `eval "$GIT_SSH_COMMAND -o BatchMode=yes -p ${port} 127.0.0.1 true"`
    expect((await run(line, { domains: ['example.com'], agentId: 'a-far' })).refusedHosts).toEqual([
      `127.0.0.1:${port}`,
    ])
    await run(line, { domains: ['127.0.0.1'] })
    expect(await greeted).toMatch(/^SSH-2\.0-/)
    server.close()
  })

  test('is limited in memory and processes', async () => {
    settings = { ...defaultSandboxSettings, limits: { memoryMegabytes: 64, processes: 500 } }
    const end = await run('ulimit -u; head -c 300000000 /dev/zero | tail -c 200000000 | wc -c')
    expect(end.output).toMatch(/^500\n.*memory exhausted/s)
  })

  test('reads a repository that a file claims, and changes nothing of it', async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' })
    git('init', '-q', '-b', 'main')
    const claiming = join(base, 'claiming')
    mkdirSync(claiming)
    writeFileSync(join(claiming, '.git'), `gitdir: ${folder}/.git/worktrees/other\n`)
    await run(`echo w > ${folder}/.git/w`, { folder: claiming, writes: [claiming] }, claiming)
    expect(existsSync(join(folder, '.git/w'))).toBe(false)
  })

  test('leaves nothing behind in its folder, also where forty run at once', async () => {
    const ends = await Promise.all(Array.from({ length: 40 }, (_, at) => run(`echo ${at}`)))
    expect(ends.map(({ output }) => output.trim())).toEqual(Array.from({ length: 40 }, (_, at) => String(at)))
    expect(execFileSync('ls', ['-A', folder], { encoding: 'utf8' })).toBe('')
  })

  test('of a program that was killed leaves nothing after the next start', async () => {
    const left = join(TEMP, `troupe-sandbox-1-0-${Math.random().toString(36).slice(2, 8).padEnd(6, 'x')}`)
    mkdirSync(left)
    const [empty, used] = [join(folder, '.mcp.json'), join(folder, '.envrc')]
    writeFileSync(empty, '')
    writeFileSync(used, 'mine')
    const [socket, linked] = [join(folder, '.npmrc'), join(folder, '.yarnrc')]
    const server = createSocketServer().listen(join(folder, 'made'))
    linkSync(join(folder, 'made'), socket)
    server.close()
    symlinkSync('.envrc', linked)
    writeFileSync(
      join(left, 'placeholders'),
      [empty, used, socket, linked].map((path) => `file ${JSON.stringify(path)}\n`).join(''),
    )
    const next = createSandbox(optionsOf())
    await next.state()
    await next.close()
    expect(existsSync(left)).toBe(false)
    expect(readdirSync(folder).sort()).toEqual(['.envrc', '.yarnrc'])
  })

  test('in the background is stopped when a kept file is replaced', async () => {
    writeFileSync(join(folder, 'CLAUDE.md'), 'one')
    const running = run('touch ready; sleep 60')
    while (!existsSync(join(folder, 'ready'))) await new Promise((resolve) => setImmediate(resolve))
    writeFileSync(join(folder, 'new.md'), 'two')
    renameSync(join(folder, 'new.md'), join(folder, 'CLAUDE.md'))
    const end = await running
    expect(end.ended).toBe('aborted')
    expect(end.sandboxNotes?.join()).toMatch(/CLAUDE.md was replaced or removed while it ran/)
  })

  test('in the background is stopped at once when a kept file is made anew at its number', async () => {
    writeFileSync(join(folder, 'CLAUDE.md'), 'one')
    const running = run('touch ready; while :; do echo evil > CLAUDE.md; sleep 0.1; done 2>/dev/null')
    while (!existsSync(join(folder, 'ready'))) await new Promise((resolve) => setImmediate(resolve))
    rmSync(join(folder, 'CLAUDE.md'))
    writeFileSync(join(folder, 'CLAUDE.md'), 'two')
    const end = await running
    expect(end.ended).toBe('aborted')
    expect(end.sandboxNotes?.join()).toMatch(/CLAUDE.md was replaced or removed while it ran/)
  })

  test('in the background is stopped when rules about files come', async () => {
    let came = false
    const running = run('touch ready; sleep 60', { rulesCame: async () => came })
    while (!existsSync(join(folder, 'ready'))) await new Promise((resolve) => setImmediate(resolve))
    came = true
    const end = await running
    expect(end.ended).toBe('aborted')
    expect(end.sandboxNotes?.join()).toMatch(/rules about files changed while it ran/)
  })

  test('changes no script that the user approved', async () => {
    writeFileSync(join(folder, 'guard.sh'), 'one')
    const its = createSandbox(optionsOf({ approvedScripts: async () => [join(folder, 'guard.sh')] }))
    const its2 = createShell({ environment: childEnvironment(process.env), confine: its.confine })
    const limits = { folder, reads: [], writes: [folder], domains: [], refusedDomains: [], agentId: 'a-1' }
    const command = 'echo two > guard.sh; rm -f guard.sh; mv guard.sh x'
    const signal = new AbortController().signal
    await its2.shell.run({ command, cwd: folder, timeoutMs: 60_000, signal, onOutput() {}, limits })
    await its.close()
    expect(readFileSync(join(folder, 'guard.sh'), 'utf8')).toBe('one')
  })

  test('names a kept file that it failed on', async () => {
    const end = await run('mkdir -p .claude && echo x > .claude/settings.json')
    expect(end.exitCode).not.toBe(0)
    expect(end.sandboxNotes?.join()).toMatch(/can't change .*\.claude: .*Use Write or Edit/)
    expect(existsSync(join(folder, '.claude'))).toBe(false)
  })

  test('is refused where the shell has no sandbox', async () => {
    const plain = createShell({ environment: childEnvironment(process.env) })
    const ended = await plain.shell.run({
      command: 'echo x > made',
      cwd: folder,
      timeoutMs: 1000,
      signal: new AbortController().signal,
      onOutput() {},
      limits: { folder, reads: [], writes: [folder], domains: [], refusedDomains: [], agentId: 'a' },
    })
    expect(ended).toMatchObject({ ok: false, failure: { type: 'sandbox' } })
    expect(existsSync(join(folder, 'made'))).toBe(false)
  })

  test('is not offered in a folder of devices', async () => {
    expect(await sandbox.policy('/dev/shm')).toBe(null)
    expect(await sandbox.policy(folder)).toMatchObject({ autoAllow: true })
  })
})

describe('where the sandbox can not start', () => {
  let programs: string

  beforeEach(() => {
    programs = realpathSync(mkdtempSync(join(TEMP, 'troupe-programs-')))
    home = programs
    settings = defaultSandboxSettings
  })
  afterEach(() => rmSync(programs, { recursive: true, force: true }))

  const program = (name: string, script: string) => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(programs, name), 0o755)
  }

  async function stateWith(more: Partial<SandboxOptions> = {}) {
    const sandbox = createSandbox(optionsOf({ environment: { PATH: programs }, ...more }))
    const state = await sandbox.state()
    const policy = await sandbox.policy(dirname(programs))
    const confined = await sandbox.confine({
      limits: { folder: programs, reads: [], writes: [], domains: [], refusedDomains: [], agentId: 'a' },
      cwd: programs,
      argv: () => ['true'],
    })
    await sandbox.close()
    return { state, policy, confined }
  }

  test('a missing program is named with its package', async () => {
    program('socat', 'exit 0')
    const { state, policy, confined } = await stateWith({ platform: 'linux' })
    expect(state).toMatchObject({
      kind: 'missing',
      message: expect.stringContaining('apt install bubblewrap)'),
    })
    expect(policy).toBe(null)
    expect(confined).toMatchObject({ ok: false, failure: { type: 'sandbox' } })
  })

  test('what worked is not tried again until the machine or a program changes', async () => {
    program('socat', 'exit 0')
    const tries = join(programs, 'tries')
    const counting = `echo >> ${tries}`
    program('bwrap', counting)
    const count = () => readFileSync(tries, 'utf8').length
    expect((await stateWith({ platform: 'linux' })).state).toEqual({ kind: 'on' })
    expect(count()).toBe(1)
    expect((await stateWith({ platform: 'linux' })).state).toEqual({ kind: 'on' })
    expect(count()).toBe(1)
    program('bwrap', `${counting}; true`)
    await stateWith({ platform: 'linux' })
    expect(count()).toBe(2)
  })

  test('what the system refuses later is told, and tried at the next start', async () => {
    program('socat', 'exit 0')
    const refuses = join(programs, 'refuses')
    program('bwrap', `test ! -e ${refuses} || { echo "bwrap: No permissions" >&2; exit 1; }`)
    const made = () => createSandbox(optionsOf({ environment: { PATH: programs }, platform: 'linux' }))
    const sandbox = made()
    const limits = { folder: programs, reads: [], writes: [], domains: [], refusedDomains: [], agentId: 'a' }
    const confined = await sandbox.confine({ limits, cwd: programs, argv: () => ['true'] })
    if (!confined.ok) throw new Error(confined.failure.message)
    writeFileSync(refuses, '')
    await confined.value.end('bwrap: No permissions\n')
    expect(await sandbox.state()).toMatchObject({ kind: 'forbidden' })
    expect(await sandbox.policy(dirname(programs))).toBe(null)
    await sandbox.close()
    const next = made()
    expect(await next.state()).toMatchObject({ kind: 'forbidden' })
    await next.close()
  })

  test("a refusal of the system is told in the system's words", async () => {
    program('socat', 'exit 0')
    program('bwrap', 'echo "bwrap: No permissions to create new namespace" >&2; exit 1')
    const { state, policy, confined } = await stateWith({ platform: 'linux' })
    expect(state).toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining('No permissions to create new namespace'),
    })
    expect(policy).toBe(null)
    expect(confined.ok).toBe(false)
  })

  test('another system has none yet', async () => {
    expect((await stateWith({ platform: 'win32' })).state).toMatchObject({ kind: 'unsupported' })
  })

  test('a Mac without its own program for it has none', async () => {
    const sandboxExec = join(programs, 'missing')
    expect((await stateWith({ platform: 'darwin', sandboxExec })).state).toMatchObject({
      kind: 'unsupported',
      message: `The sandbox for commands needs ${sandboxExec}, which this system does not have.`,
    })
  })

  test('the user can turn it off', async () => {
    settings = { ...defaultSandboxSettings, enabled: false }
    expect(await stateWith()).toMatchObject({ state: { kind: 'off' }, policy: null })
  })
})

describe('on a Mac, but for its kernel: a program that heeds no rules stands for sandbox-exec', () => {
  let sandbox: CreatedSandbox

  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(TEMP, 'troupe-mac-')))
    home = join(base, 'home')
    folder = join(base, 'project')
    for (const path of [folder, join(home, '.nvm'), join(home, '.npm/_cacache')])
      mkdirSync(path, { recursive: true })
    settings = defaultSandboxSettings
    const sandboxExec = join(base, 'sandbox-exec')
    writeFileSync(sandboxExec, '#!/bin/sh\nshift 2\nexec "$@"\n', { mode: 0o755 })
    sandbox = createSandbox(optionsOf({ platform: 'darwin', sandboxExec }))
  })
  afterEach(async () => {
    await sandbox.close()
    rmSync(base, { recursive: true, force: true })
  })

  async function run(command: string, more: Partial<CommandLimits> = {}) {
    const limits = { folder, reads: [], writes: [folder], domains: [], refusedDomains: [], agentId: 'a' }
    const confined = await sandbox.confine({
      limits: { ...limits, ...more },
      cwd: folder,
      argv: () => ['bash', '-c', command],
    })
    if (!confined.ok) throw new Error(confined.failure.message)
    const { program, args, end } = confined.value
    const line = (args[1] ?? '').replace('/usr/bin/sandbox-exec', join(base, 'sandbox-exec'))
    const output = await new Promise<string>((resolve) => {
      execFile(program, ['-c', line], { cwd: folder }, (_error, out, errors) => resolve(out + errors))
    })
    return { output, line, ...(await end(output)) }
  }

  test('a command has its private home with links to toolchains, and no file is made for a missing one', async () => {
    expect(await sandbox.state()).toEqual({
      kind: 'on',
      note: expect.stringContaining('not yet tried on a Mac'),
    })
    const { output } = await run(
      'ls -A "$HOME"; readlink "$HOME/.nvm"; echo t > "$TMPDIR/t" && cat "$TMPDIR/t"; ls -A',
    )
    expect(output).toBe(`.npm\n.nvm\n${home}/.nvm\nt\n`)
  })

  test('a command with hosts has private downloads, and reaches them through a port of its own', async () => {
    await run('true')
    const server = createServer((_request, response) => response.end('REACHED'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const get = `readlink "$HOME/.npm/_cacache"; curl -sS --noproxy nothing http://127.0.0.1:${port}/`
    const reached = await run(get, { domains: ['127.0.0.1'] })
    expect(reached.output).toBe('REACHED')
    const other = await run(get, { domains: ['example.com'] })
    expect(other.output).not.toContain('REACHED')
    expect(other.refusedHosts).toEqual([`127.0.0.1:${port}`])
    server.close()
  })

  test('a repository is read, and its git folder is among what stays as it is', async () => {
    execFileSync('git', ['init', '-q'], { cwd: folder })
    const { line } = await run('true')
    expect(line).toContain(`(deny file-write*`)
    expect(line.slice(line.indexOf('(deny file-write*'))).toContain(`(subpath "${folder}/.git")`)
    const kept = await run(`echo 'error: could not lock config file .git/config: Operation not permitted'`)
    expect(kept.notes.join()).toMatch(/can't change .*\/\.git: .*outside_sandbox: true/)
  })
})
