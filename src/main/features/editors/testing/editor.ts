/** An editor that runs `troupe acp`, with the client of the protocol's own library. */
import { Readable, Writable } from 'node:stream'
import {
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type InitializeResponse,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable'
import { expect, onTestFinished } from 'vitest'
import type { CommandLine, Started } from '../../../testing/command-line.ts'
import { type WireCheck, wireCheck } from './wire-check.ts'

/** Chooses an option by its kind or name; `cancelled` closes the question. */
export type Answer = (request: RequestPermissionRequest) => string | 'cancelled' | Promise<string>

interface EditorOptions {
  readonly scenario?: string
  readonly args?: readonly string[]
  readonly environment?: Readonly<NodeJS.ProcessEnv>
  readonly answer?: Answer
  readonly capabilities?: ClientCapabilities
  /** Answers forms. */
  readonly fillIn?: (form: CreateElicitationRequest) => CreateElicitationResponse
}

export interface Editor {
  readonly agent: ClientContext
  readonly connection: ClientConnection
  readonly program: Started
  readonly initialized: InitializeResponse
  readonly asked: RequestPermissionRequest[]
  readonly forms: CreateElicitationRequest[]
  /** The ids of the sessions that had updates. */
  sessions(): readonly string[]
  /** All updates so far, by session. */
  updates(sessionId: string): readonly SessionUpdate[]
  /** Resolves with the first update that matches, past ones included. */
  until(sessionId: string, matches: (update: SessionUpdate) => boolean): Promise<SessionUpdate>
  /** The text of the agent's messages. */
  text(sessionId: string): string
  open(cwd: string): Promise<string>
  prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<string>
}

export async function openEditor(cli: CommandLine, options: EditorOptions = {}): Promise<Editor> {
  const {
    scenario,
    args = ['--trust'],
    environment,
    answer = () => 'allow_once',
    capabilities = {},
    fillIn,
  } = options
  const scripted = scenario === undefined ? [] : ['--scenario', await cli.scenario(scenario)]
  const program = cli.start(['acp', ...args, ...scripted], environment, null)
  const all: { readonly sessionId: string; readonly update: SessionUpdate }[] = []
  const asked: RequestPermissionRequest[] = []
  const forms: CreateElicitationRequest[] = []
  const watchers = new Set<() => void>()
  const app = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => {
      all.push(params)
      for (const watcher of [...watchers]) watcher()
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params)
      const wanted = await answer(params)
      const option = params.options.find(({ kind, name }) => kind === wanted || name === wanted)
      return {
        outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' },
      }
    })
  if (fillIn !== undefined)
    app.onRequest(methods.client.elicitation.create, ({ params }) => {
      forms.push(params)
      return fillIn(params)
    })
  const wire = checkedWire()
  const sent = watched(wire.sent)
  // The program may be gone.
  sent.readable.pipeTo(Writable.toWeb(program.child.stdin)).catch(() => undefined)
  const connection = app.connect(
    ndJsonStream(
      sent.writable,
      // The output is read as text elsewhere too.
      (Readable.toWeb(program.child.stdout) as ReadableStream<string>)
        .pipeThrough(new TextEncoderStream())
        .pipeThrough(watched(wire.received)),
    ),
  )
  onTestFinished(() => connection.close())
  const { agent } = connection
  const initialized = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: capabilities,
  })
  const updates = (id: string) => all.filter(({ sessionId }) => sessionId === id).map(({ update }) => update)
  return {
    agent,
    connection,
    program,
    initialized,
    asked,
    forms,
    sessions: () => [...new Set(all.map(({ sessionId }) => sessionId))],
    updates,
    until: (id, matches) =>
      new Promise((resolve) => {
        const check = () => {
          const found = updates(id).find(matches)
          if (found === undefined) return
          watchers.delete(check)
          resolve(found)
        }
        watchers.add(check)
        check()
      }),
    text: (id) => textIn(updates(id), 'agent_message_chunk'),
    open: async (cwd) => (await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId,
    prompt: async (sessionId, prompt) => {
      const blocks = typeof prompt === 'string' ? [{ type: 'text' as const, text: prompt }] : prompt
      return (await agent.request(methods.agent.session.prompt, { sessionId, prompt: blocks })).stopReason
    },
  }
}

/** Fails the test that runs if something is wrong with what goes over the wire. */
export function checkedWire(): WireCheck {
  const wire = wireCheck()
  onTestFinished(() => expect(wire.complaints().join('\n')).toBe(''))
  return wire
}

function watched(take: (text: string) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  return new TransformStream({
    transform: (bytes, controller) => {
      take(decoder.decode(bytes, { stream: true }))
      controller.enqueue(bytes)
    },
  })
}

/** The text of all chunks of one kind. */
export function textIn(
  updates: readonly SessionUpdate[],
  kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk',
): string {
  return updates
    .map((update) =>
      update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : '',
    )
    .join('')
}

/** The updates that announce child sessions, and those of their state. */
export function childUpdates(updates: readonly SessionUpdate[]) {
  return updates.flatMap((update) => (update.sessionUpdate === 'subagent_update' ? [update] : []))
}
