/** `troupe acp`: Troupe inside an editor, over the Agent Client Protocol on standard input and output. */
import { Readable, Writable } from 'node:stream'
import { splitModel } from '../../../shared/models/model-provider.ts'
import { type CommandLineRoot, compose, programVersion, type RunSettings } from '../../command-line.ts'
import type { ComposedRuntime } from '../../features.ts'
import { complain, EXIT } from '../../platform/command-line/terminal.ts'
import type { RunStartOptions } from '../run/run-rules.ts'
import { interruptible, prepareStart } from '../run/start-run.ts'
import { createAgentApp } from './agent-app.ts'
import type { EditorContext } from './editor-context.ts'
import { LARGEST_EDITOR_MESSAGE, limitMessages } from './message-limit.ts'

/** The values of `troupe acp`; `trust` is for the folders of the sessions, until the editor ends. */
interface AcpOptions extends RunStartOptions {
  /** Null: the main agent of the settings. */
  readonly agent: string | null
}

/** Serves an editor until it is gone. Standard output carries only the protocol. @returns the exit code */
export async function serveAcp(root: CommandLineRoot, options: AcpOptions): Promise<number> {
  const start = await prepareStart(root, options)
  if (!start.ok) return complain(start.failure.message, EXIT.usage)
  const { access, composition } = start.value
  const ofEditor = new Map<string, Readonly<Record<string, object>>>()
  const composed = await compose(root, {
    ...composition,
    trusted: [],
    mcpServersOf: (folder) => ofEditor.get(folder) ?? {},
    attended: true,
  })
  const { program, settings } = composed
  return await interruptible(composed, async ({ signal }) => {
    const switched = await program.switchAccess(access.with(settings))
    if (!switched.ok) return complain(switched.failure.message, EXIT.usage)
    await serveEditor(options, {
      program,
      settings,
      rehearsal: access.rehearsal,
      isKeyless: access.isKeyless,
      ofEditor,
      readFolders: composed.readFolders,
      version: await programVersion(root),
      interrupted: signal,
      complain: (message) => complain(message, 0),
    })
    return signal.aborted ? EXIT.interrupted : EXIT.done
  }).finally(() => {
    // An editor that only ended its side would keep the program alive.
    process.stdin.destroy()
  })
}

interface Served {
  readonly program: ComposedRuntime
  /** Folders are trusted for this run by adding them. */
  readonly settings: RunSettings
  readonly rehearsal: boolean
  readonly isKeyless: boolean
  /** By folder: the MCP servers of its sessions. */
  readonly ofEditor: Map<string, Readonly<Record<string, object>>>
  /** Reads again which folders are trusted. */
  readonly readFolders: () => Promise<void>
  readonly version: string
  readonly interrupted: AbortSignal
  readonly complain: (message: string) => void
}

const NO_ACCESS =
  'No access to a model. Set ANTHROPIC_API_KEY in the environment of this agent in the settings of your editor, and start the agent again.'

/** Resolves when the editor is gone, or when the program has to end. */
async function serveEditor(options: AcpOptions, served: Served): Promise<void> {
  const { program, settings, rehearsal, isKeyless, ofEditor, interrupted } = served
  const wanted = options.model ?? settings.model
  // A model of a provider needs no access of its own, and neither does an external agent.
  const isProviders = splitModel(program.models.resolve(wanted)).provider !== null
  const aliases = ['haiku', 'sonnet', 'opus', 'fable'].map((id) => ({ id, name: program.models.resolve(id) }))
  const ofProviders = program.providers.models.map((id) => ({ id, name: id }))
  const agent = options.agent ?? (settings.coordinatorMode || rehearsal ? null : settings.mainAgent)
  await acpCommand(
    {
      runtime: program.runtime,
      store: program.store,
      slash: program.slash,
      model: wanted,
      permissionMode: options.permissionMode ?? settings.permissionMode,
      coordinator: settings.coordinatorMode,
      agent,
      rehearsal,
      models: [...aliases, ...(rehearsal ? [] : ofProviders)],
      readFolders: served.readFolders,
      isTrusted: program.policy.trusted,
      bypassAllowed: program.policy.bypassAllowed,
      trust: options.trust ? (folder) => settings.trustedFolders.push(folder) : null,
      noAccess: isKeyless && !isProviders && agent === null ? NO_ACCESS : null,
      giveServers: (folder, servers) => ofEditor.set(folder, { ...ofEditor.get(folder), ...servers }),
      version: served.version,
      now: program.now,
      newKey: program.newKey,
      complain: served.complain,
    },
    {
      input: Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
      output: Writable.toWeb(process.stdout),
      interrupted,
    },
  )
}

interface Connected {
  readonly input: ReadableStream<Uint8Array>
  readonly output: WritableStream<Uint8Array>
  /** Aborts when the program has to end. */
  readonly interrupted: AbortSignal
}

/** Serves one editor. Resolves when it is gone, or when the program has to end. */
async function acpCommand(context: EditorContext, connected: Connected): Promise<void> {
  // This entry knows the parts of the protocol that are not stable; see child-sessions.ts.
  const sdk = await import('@agentclientprotocol/sdk/unstable')
  const { app, serve, close } = createAgentApp(sdk, context)
  app.onConnect(({ client }) => serve(client))
  const limited = limitMessages(() =>
    context.complain('A message of the editor is too large. It was left out.'),
  )
  const connection = app.connect(
    // Longer than what passes, so that the library never ends the connection for it.
    sdk.ndJsonStream(connected.output, connected.input.pipeThrough(limited), {
      maxMessageBytes: LARGEST_EDITOR_MESSAGE + 1,
    }),
  )
  const end = () => connection.close()
  connected.interrupted.addEventListener('abort', end, { once: true })
  if (connected.interrupted.aborted) end()
  await connection.closed.catch(() => undefined)
  connected.interrupted.removeEventListener('abort', end)
  close()
}
