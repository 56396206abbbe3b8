/** What is said about a set-up in which something is missing. */
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Kvm } from '@nats-io/kv'
import { expect, test } from 'vitest'
import type { NatsFinding } from '../../../../../shared/workers/worker-presence.ts'
import { createGit } from '../../../../platform/git/git-client.ts'
import { createSystemClock } from '../../../../platform/system/machine-time.ts'
import { tempFolder } from '../../../../platform/transcripts/testing/temp-folder.ts'
import { openJobStore } from '../jobs/job-store.ts'
import { startCable } from '../jobs/testing/cable.ts'
import { natsNames } from '../subjects.ts'
import { startNatsServer, withNats } from '../testing/nats-server.ts'
import { openTestSession, ready } from '../testing/session.ts'
import { diagnoseMachine, diagnoseServer, type ServerDiagnosis } from './diagnose.ts'
import { setUpServer } from './setup-server.ts'

async function findings(found: AsyncIterable<NatsFinding>): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const { what, outcome, text } of found) lines.push(`${outcome} ${what}: ${text}`)
  return lines
}

const look = (options: Partial<ServerDiagnosis> & { readonly url: string }) =>
  findings(
    diagnoseServer({
      credentials: '',
      ca: '',
      name: 'test',
      role: 'worker',
      now: Date.now,
      timeout: 5000,
      ...options,
    }),
  )

const line = (start: string) => expect.stringMatching(new RegExp(`^${start}`))

withNats('a server', () => {
  test('with everything', async () => {
    const { url } = await startNatsServer()
    expect(await look({ url })).toEqual([
      line(
        'ok server: nats-server 2\\.\\d+\\.\\d+ at nats://127.* without TLS, on this machine, with JetStream',
      ),
      line('ok streams: '),
      line('ok permissions: the credentials may do what a worker does'),
      line('ok clock: \\d+\\.\\d s from the server’s'),
      line('ok version: protocol \\d+, like 0 of 0 workers'),
    ])
  })

  test('that is not there, or has no JetStream', async () => {
    const server = await startNatsServer({ jetStream: false })
    expect(await look({ url: server.url })).toEqual([line('failed server: .* runs without JetStream')])
    await server.kill()
    expect(await look({ url: server.url })).toEqual([line('failed server: No NATS server listens at nats:')])
  })

  test.each([
    ['its streams', 1],
    ['its permissions', 2],
    ['its time', 3],
    ['the entries of the bucket troupe-workers', 4],
  ])('that is silent while the look waits for %s', async (what, after) => {
    const { port } = await startNatsServer()
    const cable = await startCable(port)
    const lines: string[] = []
    const access = { credentials: '', ca: '', name: 'test', role: 'worker', now: Date.now } as const
    for await (const { outcome, text } of diagnoseServer({ ...access, url: cable.url, timeout: 400 })) {
      lines.push(`${outcome} ${text}`)
      if (lines.length === after) cable.cut()
    }
    expect(lines.slice(after)).toEqual([
      line(
        `failed The server can’t be .*silent for 0.4 s while Troupe waited for ${what}\\. Check the network`,
      ),
    ])
  })

  test('whose clock differs by an hour', async () => {
    const { url } = await startNatsServer()
    const early = await look({ url, now: () => Date.now() + 3_600_000 })
    expect(early).toContainEqual(
      line('failed clock: This machine’s clock is 60 minutes ahead of the NATS server’s.* Set the clock'),
    )
    const late = await look({ url, now: () => Date.now() - 45_000 })
    expect(late).toContainEqual(line('failed clock: This machine’s clock is 45 seconds behind'))
  })

  test('with a worker of another version', async () => {
    const { url } = await startNatsServer()
    const session = openTestSession(url)
    await ready(session)
    const link = session.link()
    if (!link) throw new Error('no connection')
    const facts = { workerId: 'w-1', kind: 'remote', host: 'build-3', pid: 1, cores: 1, platform: 'linux' }
    const more = { version: '9.9.9', protocol: 99, tmux: null, models: [], tools: [], agentIds: [] }
    const bucket = await new Kvm(link.connection).open(natsNames.workers)
    await bucket.put('w-1', JSON.stringify({ ...facts, ...more, load: 0, at: 0, problem: null }))
    expect(await look({ url })).toContainEqual(
      line('warning version: the worker on build-3 has Troupe 9\\.9\\.9 with protocol 99'),
    )
  })

  test('with the credentials of the other role, or none', async () => {
    const folder = join(await tempFolder(), 'nats')
    const hosts = ['127.0.0.1']
    const natsServer = 'nats-server'
    const none = { add: [], remove: [], renew: false }
    const made = await setUpServer({ folder, hosts, port: 4222, natsServer, ...none })
    if (!made.ok) throw new Error(made.failure.message)
    const config = await readFile(made.value.configFile, 'utf8')
    const server = await startNatsServer({ jetStream: false, config: () => config })
    const access = (name: string) => ({
      url: `tls://127.0.0.1:${server.port}`,
      ca: made.value.ca,
      credentials: join(folder, `${name}.nk`),
    })
    // The streams of jobs are there as soon as a program has used the server.
    const session = openTestSession(access('sender').url, access('sender'))
    await ready(session)
    const link = session.link()
    expect(link && (await openJobStore(link.connection, createSystemClock().sleep)).ok).toBe(true)
    for (const role of ['sender', 'worker'] as const) {
      const found = await look({ ...access(role), role })
      expect(found).toContainEqual(line(`ok permissions: the credentials may do what a ${role} does`))
      expect(found.filter((text) => !text.startsWith('ok'))).toEqual([])
      expect(found[0]).toContain('with TLS')
    }
    expect(await look({ ...access('sender'), role: 'worker' })).toContainEqual(
      line(
        'failed permissions: These are not the credentials of a worker: .* does not allow .* publish to \\$KV',
      ),
    )
    expect(await look({ ...access('worker'), role: 'sender' })).toContainEqual(
      line('failed permissions: These are not the credentials of a sender: .* publish to troupe\\.work'),
    )
    expect(await look({ ...access('worker'), credentials: '' })).toEqual([
      line('failed server: .* refuses the credentials'),
    ])
  })

  test('whose space is used up', async () => {
    const { url } = await startNatsServer({
      jetStream: false,
      config: (folder) => `jetstream { store_dir: "${folder}/js", max_file_store: 1MB }`,
    })
    expect(await look({ url })).toContainEqual(
      line('failed streams: The stream troupe-messages can’t be made .* is full .*Free space there'),
    )
  })
})

test('a machine with an old git, a full disk and no model', async () => {
  const folder = await tempFolder()
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'git'), '#!/bin/sh\necho git version 2.20.1\n')
  await chmod(join(bin, 'git'), 0o755)
  const machine = {
    dataFolder: folder,
    sandbox: async () =>
      ({ kind: 'missing', message: 'The sandbox for commands needs bubblewrap and socat.' }) as const,
    model: async () => ({ outcome: 'failed', text: 'No access to a model.' }) as const,
  }
  const old = createGit({ environment: { PATH: bin } })
  expect(await findings(diagnoseMachine({ ...machine, git: old, freeDiskGb: 1e9 }))).toEqual([
    line('failed git: This is git 2\\.20; '),
    line('failed disk: \\d+\\.\\d GB are free at .*, and 1000000000 GB must stay free\\. Free some space'),
    line('warning sandbox: The sandbox for commands needs bubblewrap and socat\\. Without it, .* are denied'),
    line('failed model: No access to a model\\.'),
  ])
  const path = execFileSync('sh', ['-c', 'printf %s "$PATH"'], { encoding: 'utf8' })
  const git = createGit({ environment: { PATH: path } })
  const good = await findings(
    diagnoseMachine({
      ...machine,
      sandbox: async () => ({ kind: 'on' }) as const,
      model: async () => ({ outcome: 'ok', text: 'can be reached' }) as const,
      git,
      freeDiskGb: 0,
    }),
  )
  expect(good).toEqual([line('ok git'), line('ok disk'), line('ok sandbox'), line('ok model')])
})
