/** Connects the program to the editor on standard input and output. */
import { Readable, Writable } from 'node:stream'
import { splitModel } from '../../../shared/models/model-provider.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { ComposedRuntime } from '../../features.ts'
import type { AcpContext } from './acp-context.ts'
import { createAgentApp } from './agent-app.ts'
import { LARGEST_MESSAGE, limitMessages } from './message-limit.ts'
import type { AcpArguments } from './parse-acp.ts'

export interface Served {
  readonly program: ComposedRuntime
  /** Folders are trusted for this run by adding them. */
  readonly settings: Omit<Settings, 'trustedFolders'> & { readonly trustedFolders: string[] }
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
export async function serveEditor(options: AcpArguments, served: Served): Promise<void> {
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
      now: Date.now,
      complain: served.complain,
    },
    {
      input: Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
      output: Writable.toWeb(process.stdout),
      interrupted,
    },
  )
}

/** `troupe acp`: Troupe inside an editor, over the Agent Client Protocol on standard input and output. */
interface Connected {
  readonly input: ReadableStream<Uint8Array>
  readonly output: WritableStream<Uint8Array>
  /** Aborts when the program has to end. */
  readonly interrupted: AbortSignal
}

/** Serves one editor. Resolves when it is gone, or when the program has to end. */
async function acpCommand(context: AcpContext, connected: Connected): Promise<void> {
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
      maxMessageBytes: LARGEST_MESSAGE + 1,
    }),
  )
  const end = () => connection.close()
  connected.interrupted.addEventListener('abort', end, { once: true })
  if (connected.interrupted.aborted) end()
  await connection.closed.catch(() => undefined)
  connected.interrupted.removeEventListener('abort', end)
  close()
}
