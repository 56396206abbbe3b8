/** Hooks through the runtime: real processes, real settings files, and a scripted model. */
import { chmodSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { answer, BASH, ground, isAlive, of, on, run } from '../../testing/real-hooks.ts'
import { approvableOf } from './configured-hooks.ts'

describe('a command', () => {
  test('receives the fields that existing scripts read', async () => {
    const g = ground()
    g.user({ ...on('PreToolUse', 'Bash', g.logger), ...on('PostToolUse', 'Bash', g.logger) })
    const troupe = await run(g, [BASH])
    const [main] = of(troupe, 'agent-spawned')
    const [before, after] = g.logged()
    expect(before).toEqual({
      session_id: expect.any(String),
      transcript_path: expect.any(String),
      cwd: g.folder,
      permission_mode: 'bypassPermissions',
      hook_event_name: 'PreToolUse',
      agent_id: main?.agentId,
      agent_type: 'main',
      parent_agent_id: null,
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_use_id: 'call-1-0',
    })
    expect(after).toMatchObject({
      hook_event_name: 'PostToolUse',
      tool_response: { success: true, stdout: 'ran ls' },
    })
    expect(of(troupe, 'hook-ran')).toMatchObject([
      { event: 'PreToolUse', source: 'user settings', exitCode: 0, effect: 'none', toolUseId: 'call-1-0' },
      { event: 'PostToolUse', exitCode: 0, effect: 'none' },
    ])
  })

  test('gets the project folder and no keys', async () => {
    const g = ground()
    g.user(on('PreToolUse', '', 'env >&2; exit 2'))
    process.env['ANTHROPIC_API_KEY'] ??= 'sk-secret'
    const [result] = of(await run(g, [BASH]), 'tool-ended')
    expect(result?.content).toContain(`CLAUDE_PROJECT_DIR=${g.folder}`)
    expect(result?.content).not.toContain('API_KEY')
  })

  test("the user's .bashrc, which may print, is not read", async () => {
    const g = ground()
    g.put('home/.bashrc', 'echo Welcome back\n')
    g.user(on('PreToolUse', '', answer({ permissionDecision: 'deny', permissionDecisionReason: 'no' })))
    const troupe = await run(g, [BASH])
    expect(of(troupe, 'hook-ran')).toMatchObject([
      { effect: 'denied', output: expect.not.stringContaining('Welcome') },
    ])
  })

  test.each([
    ['exit 2', 'echo "no rm" >&2; exit 2', 'denied', 'no rm'],
    [
      'permissionDecision',
      answer({ permissionDecision: 'deny', permissionDecisionReason: 'no rm' }),
      'denied',
      'no rm',
    ],
    ['the older decision', `echo '{"decision":"block","reason":"no rm"}'`, 'denied', 'no rm'],
  ])('%s blocks the call and tells the model why', async (_name, command, note, reason) => {
    const g = ground()
    g.user(on('PreToolUse', 'Bash', command))
    const troupe = await run(g, [BASH])
    expect(of(troupe, 'tool-ended')).toMatchObject([
      { isError: true, note, content: expect.stringContaining(reason) },
    ])
    expect(of(troupe, 'tool-started')).toEqual([])
    expect(of(troupe, 'hook-ran')).toMatchObject([{ effect: 'denied' }])
  })

  test.each([
    ['another exit code', 'echo broken >&2; exit 7', 'failed', 'exit code 7: broken'],
    ['a time-out', 'sleep 30', 'timed-out', 'No answer within 0.2 s.'],
    ['broken JSON', 'echo "{ no"', 'failed', "can't be read"],
    ['an unknown decision', answer({ permissionDecision: 'never' }), 'failed', 'permissionDecision'],
  ])('%s is shown, and blocks only a hook that fails closed', async (_name, command, effect, reason) => {
    for (const failClosed of [false, true]) {
      const g = ground()
      g.user(on('PreToolUse', 'Bash', command, { timeout: 0.2, failClosed }))
      const troupe = await run(g, [BASH])
      expect(of(troupe, 'hook-ran')).toMatchObject([{ effect }])
      expect(of(troupe, 'interceptor-verdict')[0]).toMatchObject({
        verdict: 'failed',
        reason: expect.stringContaining(reason),
      })
      expect(of(troupe, 'tool-ended')).toMatchObject([{ isError: failClosed }])
    }
  })

  test.each([
    ['a time-out', 'sleep 30'],
    ['a missing script', '/nowhere/guard.sh'],
    ['a missing script of an interpreter', 'node /nowhere/guard.js'],
    ['a missing script of a shell', 'bash /nowhere/guard.sh'],
    ['a missing program', 'no-such-program --check'],
    ['a script that may not run', '"$CLAUDE_PROJECT_DIR"/guard.sh'],
    ['a missing interpreter', '"$CLAUDE_PROJECT_DIR"/other.sh'],
    ['a mistake of its own', `node -e 'JSON.parse("{")'`],
    ['a signal', 'kill -9 $$'],
    ['an answer that can’t be read', 'echo "{ no"'],
  ])('a guard that can’t decide stops the calls that it checks, in words: %s', async (_name, command) => {
    const g = ground()
    g.put('project/guard.sh', '#!/bin/sh\nexit 0\n')
    g.put('project/other.sh', '#!/no/such/interpreter\n')
    chmodSync(join(g.folder, 'guard.sh'), 0o644)
    chmodSync(join(g.folder, 'other.sh'), 0o755)
    const timeout = command === 'sleep 30' ? 0.2 : 20
    g.user(on('PreToolUse', 'Bash', command, { timeout }))
    const troupe = await run(g, [BASH])
    expect(of(troupe, 'tool-started')).toEqual([])
    expect(of(troupe, 'tool-ended')).toMatchObject([
      { isError: true, content: expect.stringContaining('Only the user can repair the hook') },
    ])
    // The user may decide that such calls pass.
    g.user(on('PreToolUse', 'Bash', command, { timeout, failClosed: false }))
    expect(of(await run(g, [BASH]), 'tool-ended')).toMatchObject([{ isError: false }])
  })

  test('a guard whose server is gone stops the calls that it checks', async () => {
    const g = ground()
    g.user({ PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'http', url: 'http://127.0.0.1:1/' }] }] })
    expect(of(await run(g, [BASH]), 'tool-ended')).toMatchObject([
      { isError: true, content: expect.stringContaining('could not be reached') },
    ])
  })

  test('a hook that ends with another exit code, and one that only observes, stop nothing', async () => {
    const g = ground()
    g.user({ ...on('PreToolUse', 'Bash', 'exit 1'), ...on('PostToolUse', 'Bash', '/nowhere/log.sh') })
    expect(of(await run(g, [BASH]), 'tool-ended')).toMatchObject([{ isError: false }])
  })

  test('a changed input is judged by the rules again; "allow" allows nothing, at no event', async () => {
    const g = ground()
    const allow = { permissionDecision: 'allow', updatedInput: { command: 'npm publish' } }
    const permission = { hookSpecificOutput: { decision: { behavior: 'deny', message: 'not from here' } } }
    const anyway = { hookSpecificOutput: { decision: { behavior: 'allow' } } }
    g.user({
      ...on('PreToolUse', 'Bash', answer(allow)),
      PermissionRequest: [
        {
          hooks: [anyway, permission].map((said) => ({
            type: 'command',
            command: `echo '${JSON.stringify(said)}'`,
          })),
        },
      ],
    })
    const troupe = await run(g, [BASH], { permissionMode: 'default' })
    expect(
      of(troupe, 'hook-ran')
        .map(({ event, effect }) => `${event} ${effect}`)
        .sort(),
    ).toEqual(['PermissionRequest denied', 'PermissionRequest none', 'PreToolUse input-changed'])
    expect(of(troupe, 'tool-ended')).toMatchObject([
      { note: 'denied', content: expect.stringContaining('not from here') },
    ])
    expect(of(troupe, 'permission-asked')).toEqual([])
  })

  test('its children end at its time limit', async () => {
    const g = ground()
    const file = join(g.top, 'pid')
    g.user(on('PreToolUse', '', `sleep 600 & echo $! > ${file}; wait`, { timeout: 3 }))
    await run(g, [BASH])
    const pid = Number(readFileSync(file, 'utf8'))
    await expect.poll(() => isAlive(pid)).toBe(false)
  })
})

describe('matchers', () => {
  test.each([
    ['', true],
    ['*', true],
    ['Bash', true],
    ['Edit|Bash', true],
    ['Ba', false],
    ['bash', false],
    ['B.*h', true],
    ['^Bash$', true],
    ['Edit|Write', false],
  ])('%j for Bash: %s', async (matcher, fires) => {
    const g = ground()
    g.user(on('PreToolUse', matcher, 'true'))
    expect(of(await run(g, [BASH]), 'hook-ran')).toHaveLength(fires ? 1 : 0)
  })
})

describe('http', () => {
  async function server(handle: (body: string) => { status?: number; body?: string; location?: string }) {
    const received: string[] = []
    const http = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        received.push(body)
        const { status = 200, body: answered = '', location } = handle(body)
        response.writeHead(status, location === undefined ? {} : { location }).end(answered)
      })
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', () => resolve()))
    onTestFinished(() => {
      http.close()
    })
    return { received, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/` }
  }
  const post = (url: string, more: object = {}) => ({
    PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'http', url, timeout: 5, ...more }] }],
  })

  test('posts the input and reads the answer like output', async () => {
    const g = ground()
    const { url, received } = await server(() => ({
      body: JSON.stringify({
        hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no' },
      }),
    }))
    g.user(post(url))
    const troupe = await run(g, [BASH])
    expect(JSON.parse(received[0] ?? '')).toMatchObject({ tool_name: 'Bash' })
    expect(of(troupe, 'tool-ended')).toMatchObject([{ note: 'denied' }])
  })

  test('a redirect is refused', async () => {
    const g = ground()
    const target = await server(() => ({}))
    const { url } = await server(() => ({ status: 307, location: target.url }))
    g.user(post(url, { failClosed: true }))
    const troupe = await run(g, [BASH])
    expect(target.received).toEqual([])
    expect(of(troupe, 'tool-ended')[0]?.content).toContain('redirects')
  })
})

describe('sources', () => {
  const blocks = (name: string) => on('PreToolUse', 'Bash', `echo ${name} >&2; exit 2`)

  test('all run in their order: managed, own, user, plugin', async () => {
    const g = ground()
    g.put('managed.json', { hooks: on('PreToolUse', '', 'true # managed') })
    g.put('data/settings.json', { hooks: on('PreToolUse', '', 'true # own') })
    g.user(on('PreToolUse', '', 'true # user'))
    g.put('plugin/.claude-plugin/plugin.json', { name: 'fmt' })
    g.put('plugin/hooks/hooks.json', { hooks: on('PreToolUse', '', '"$CLAUDE_PLUGIN_ROOT"/run.sh') })
    g.put('plugin/run.sh', '#!/bin/sh\necho from the plugin >&2; exit 2\n')
    g.plugins.push(join(g.top, 'plugin'))
    const troupe = await run(g, [BASH])
    expect(of(troupe, 'hook-ran').map(({ source }) => source)).toEqual([
      'managed settings',
      'Troupe settings',
      'user settings',
      'plugin fmt',
    ])
    expect(of(troupe, 'tool-ended')[0]?.content).toContain('from the plugin')
  })

  test("a project's hook runs only after its approval, and a changed one waits again", async () => {
    const g = ground()
    g.put('project/.claude/settings.json', { hooks: blocks('guard') })
    const first = await run(g, [BASH])
    expect(of(first, 'hook-ran')).toEqual([])
    expect(of(first, 'notice').filter(({ text }) => text.includes('until you approve'))).toHaveLength(1)
    const [entry] = (await g.hooks.configured.read(g.folder, null)).entries
    expect(entry?.state).toBe('new')
    await g.approvals.decide(g.folder, approvableOf(entry!), 'approved')
    expect(of(await run(g, [BASH]), 'tool-ended')[0]?.content).toContain('guard')
    g.put('project/.claude/settings.json', {
      hooks: on('PreToolUse', 'Bash', 'echo guard >&2; exit 2', { timeout: 5 }),
    })
    const unguarded = await run(g, [BASH])
    expect(of(unguarded, 'hook-ran')).toEqual([])
    expect((await g.hooks.configured.read(g.folder, null)).entries).toMatchObject([
      { state: 'changed', former: { timeout: 60 } },
    ])
    // What it guards is not done without it, until the user decides.
    expect(of(unguarded, 'tool-ended')).toMatchObject([{ note: 'denied' }])
    expect(of(unguarded, 'tool-ended')[0]?.content).toContain('has changed since the user approved it')
    const [changed] = (await g.hooks.configured.read(g.folder, null)).entries
    await g.approvals.decide(g.folder, approvableOf(changed!), 'refused')
    expect(of(await run(g, [BASH]), 'tool-ended')).toMatchObject([{ isError: false }])
  })

  test.each([
    ['another script', { 'plugin/run.sh': 'exit 0' }],
    ['no hook any more', { 'plugin/hooks/hooks.json': '{}' }],
  ])('what a plugin checks is denied after the plugin has changed: %s', async (_, change) => {
    const g = ground()
    g.put('plugin/.claude-plugin/plugin.json', { name: 'fmt' })
    g.put('plugin/hooks/hooks.json', { hooks: on('PreToolUse', 'Bash', '"$CLAUDE_PLUGIN_ROOT"/run.sh') })
    g.put('plugin/run.sh', '#!/bin/sh\nexit 0\n')
    g.plugins.push(join(g.top, 'plugin'))
    expect(of(await run(g, [BASH]), 'tool-ended')).toMatchObject([{ isError: false }])
    for (const [path, content] of Object.entries(change)) g.put(path, content)
    g.changedPlugins.push(...g.plugins.splice(0))
    const unguarded = await run(g, [BASH])
    expect(of(unguarded, 'hook-ran')).toEqual([])
    expect(of(unguarded, 'tool-ended')).toMatchObject([{ note: 'denied' }])
    expect(of(unguarded, 'tool-ended')[0]?.content).toContain(
      'The plugin has changed since the user enabled it',
    )
    const told = of(unguarded, 'notice').map(({ text }) => text)
    expect(told.filter((text) => text.startsWith('The plugin fmt has changed'))).toHaveLength(1)
    // Removed by the user: nothing relies on it any more.
    g.changedPlugins.splice(0)
    expect(of(await run(g, [BASH]), 'tool-ended')).toMatchObject([{ isError: false }])
  })

  test('nothing of a folder that is not trusted is read', async () => {
    const g = ground({ trusted: false })
    g.put('project/.claude/settings.json', { hooks: blocks('guard') })
    expect((await g.hooks.configured.read(g.folder, null)).entries).toEqual([])
  })

  test("disableAllHooks of a project turns off the project's hooks, and no guard of the user", async () => {
    const g = ground()
    g.user(blocks('guard'))
    g.put('project/.claude/settings.json', { disableAllHooks: true })
    expect(of(await run(g, [BASH]), 'tool-ended')).toMatchObject([{ note: 'denied' }])
    g.user(blocks('guard'), { disableAllHooks: true })
    expect(of(await run(g, [BASH]), 'tool-ended')).toMatchObject([{ isError: false }])
  })

  test('a hook that the user turned off does not run, except a managed one', async () => {
    const g = ground()
    g.user(on('PreToolUse', '', 'true # user'))
    g.put('managed.json', { hooks: on('PreToolUse', '', 'true # managed') })
    for (const entry of (await g.hooks.configured.read(g.folder, null)).entries)
      await g.approvals.decide(g.folder, approvableOf(entry), 'refused')
    expect(of(await run(g, [BASH]), 'hook-ran')).toMatchObject([{ source: 'managed settings' }])
  })

  test('the same hook in two files runs once; a stricter one runs, too', async () => {
    const g = ground()
    g.put('data/settings.json', { hooks: on('PreToolUse', '', 'true') })
    g.user(on('PreToolUse', '*', 'true'))
    expect(of(await run(g, [BASH]), 'hook-ran')).toMatchObject([{ source: 'Troupe settings' }])
    g.user(on('PreToolUse', '*', 'true', { failClosed: true }))
    expect(of(await run(g, [BASH]), 'hook-ran')).toHaveLength(2)
  })

  test('a hook of the project that waits hides no equal hook of the user', async () => {
    const g = ground()
    g.put('project/.claude/settings.json', { hooks: blocks('guard') })
    g.user(blocks('guard'))
    expect(of(await run(g, [BASH]), 'hook-ran')).toMatchObject([
      { source: 'user settings', effect: 'denied' },
    ])
  })

  test('a mistake in the configuration is told, and the other hooks run', async () => {
    const g = ground()
    g.user({ ...on('PreToolUse', '(', 'true'), ...on('Nope', '', 'true'), ...on('PostToolUse', '', 'true') })
    const troupe = await run(g, [BASH])
    const told = of(troupe, 'notice').map(({ text }) => text)
    expect(told.join()).toContain('not a valid regular expression')
    expect(told.join()).toContain('no such event')
    expect(of(troupe, 'hook-ran')).toMatchObject([{ event: 'PostToolUse' }])
  })
})
