/** The methods of the protocol that Troupe offers to editors. */
import { isAbsolute } from 'node:path'
import type {
  AgentApp,
  AgentContext,
  AuthMethod,
  InitializeResponse,
  RequestError as RequestErrorClass,
} from '@agentclientprotocol/sdk/unstable'
import type { Failure, Result } from '../../../shared/kernel/result.ts'
import { knowsChildSessions } from '../../platform/acp/subagent-sessions.ts'
import type { EditorAbilities, EditorContext } from './editor-context.ts'
import type { EditorSession } from './editor-session.ts'
import { EditorSessions } from './editor-sessions.ts'
import { LARGEST_EDITOR_MESSAGE, TOO_LARGE } from './message-limit.ts'

type Sdk = typeof import('@agentclientprotocol/sdk/unstable')

/** The app, and what it does until the connection ends. */
interface TroupeApp {
  readonly app: AgentApp
  /** Begins to serve the editor of a connection. */
  serve(client: AgentContext): void
  close(): void
}

const KEY_METHOD: AuthMethod = {
  id: 'api-key',
  name: 'API key',
  description: 'Set ANTHROPIC_API_KEY in the environment of this agent, in the settings of your editor.',
}

export function createAgentApp(sdk: Sdk, context: EditorContext): TroupeApp {
  const { agent, methods, RequestError, PROTOCOL_VERSION } = sdk
  let sessions: EditorSessions | null = null
  let abilities: EditorAbilities = { childSessions: false, forms: { fields: false, pages: false } }

  const served = (): EditorSessions => {
    if (sessions === null) throw RequestError.internalError(undefined, 'There is no connection.')
    return sessions
  }
  const sessionOf = (id: string): EditorSession => {
    const session = served().get(id)
    if (session !== null) return session
    if (served().ownerOf(id) === null) throw RequestError.sessionNotFound(id)
    throw new RequestError(-32602, `${id} is the session of a subagent. It can only be canceled.`)
  }
  const unwrapped = <T>(result: Result<T>, sessionId?: string): T => {
    if (result.ok) return result.value
    throw errorOf(RequestError, result.failure, sessionId)
  }
  /** An editor knows a session only after the answer that names it. */
  const afterAnswer = (id: string) => {
    setImmediate(() => {
      sessions
        ?.get(id)
        ?.tellCommands()
        .catch((thrown: unknown) => context.complain(String(thrown)))
    })
  }
  const load = async (
    request: Parameters<EditorSessions['load']>[0],
    options: { readonly replay: boolean },
  ) => {
    const started = unwrapped(await served().load(request, options), request.sessionId)
    afterAnswer(request.sessionId)
    return started
  }

  const app = agent({ name: 'troupe' })
    .onRequest(methods.agent.initialize, ({ params: { clientCapabilities } }): InitializeResponse => {
      const { elicitation } = clientCapabilities ?? {}
      abilities = {
        childSessions: knowsChildSessions(clientCapabilities),
        forms: { fields: isOffered(elicitation?.form), pages: isOffered(elicitation?.url) },
      }
      return {
        // The only version that Troupe speaks; an editor with another one ends the connection.
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'troupe', title: 'Troupe', version: context.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
        authMethods: [KEY_METHOD],
      }
    })
    .onRequest(methods.agent.authenticate, ({ params: { methodId } }) => {
      if (methodId !== KEY_METHOD.id)
        throw RequestError.invalidParams(undefined, `There is no way to log in named "${methodId}".`)
      if (context.noAccess !== null) throw RequestError.authRequired(undefined, context.noAccess)
      return {}
    })
    .onRequest(methods.agent.session.new, async ({ params }) => {
      const created = unwrapped(await served().create(params.cwd, params.mcpServers))
      afterAnswer(created.sessionId)
      return created
    })
    .onRequest(methods.agent.session.load, ({ params }) => load(params, { replay: true }))
    .onRequest(methods.agent.session.resume, ({ params }) => load(params, { replay: false }))
    .onRequest(methods.agent.session.list, async ({ params: { cwd, cursor } }) => {
      // The answer is the whole list, so no part of it goes on anywhere.
      if (cursor != null) throw RequestError.invalidParams(undefined, 'There is no such cursor.')
      if (cwd != null && !isAbsolute(cwd))
        throw RequestError.invalidParams(undefined, `The folder ${cwd} is not an absolute path.`)
      return { sessions: await served().list(cwd ?? null) }
    })
    .onRequest(methods.agent.session.close, async ({ params }) => {
      sessionOf(params.sessionId)
      await served().drop(params.sessionId)
      return {}
    })
    .onRequest(methods.agent.session.delete, async ({ params }) => {
      unwrapped(await served().delete(params.sessionId), params.sessionId)
      return {}
    })
    .onRequest(methods.agent.session.setMode, async ({ params }) => {
      unwrapped(await served().setMode(sessionOf(params.sessionId), params.modeId))
      return {}
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ params }) => ({
      configOptions: unwrapped(
        await served().setOption(sessionOf(params.sessionId), params.configId, params.value),
      ),
    }))
    .onRequest(methods.agent.session.prompt, async ({ params, signal }) => ({
      stopReason: unwrapped(await sessionOf(params.sessionId).prompt(params.prompt, signal)),
    }))
    .onRequest(
      TOO_LARGE,
      () => null,
      () => {
        throw new RequestError(
          -32602,
          `The message is larger than ${LARGEST_EDITOR_MESSAGE / 1024 / 1024} MB. Send fewer or smaller images and files.`,
        )
      },
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      served().cancel(params.sessionId)
    })

  return {
    app,
    serve: (client) => {
      sessions = new EditorSessions(context, {
        can: () => abilities,
        notify: (sessionId, update) => {
          // A connection that ended is dealt with where it is awaited.
          client.notify(methods.client.session.update, { sessionId, update }).catch(() => undefined)
        },
        askPermission: async (request, until) => {
          const { outcome } = await client.request(methods.client.session.requestPermission, request, {
            cancellationSignal: until,
            stopWaitingOnCancel: true,
          })
          return outcome
        },
        askForm: (request, until) =>
          client.request(methods.client.elicitation.create, request, {
            cancellationSignal: until,
            stopWaitingOnCancel: true,
          }),
      })
    },
    close: () => sessions?.close(),
  }
}

/** A capability without content is an empty object. */
const isOffered = (capability: object | null | undefined): boolean =>
  capability !== null && capability !== undefined

/** A failure as the protocol's error, with the sentence for the user. */
function errorOf(
  RequestError: typeof RequestErrorClass,
  { type, message }: Failure,
  sessionId: string | undefined,
): Error {
  switch (type) {
    case 'no-access':
    case 'auth':
      return new RequestError(-32000, message)
    case 'not-found':
      return sessionId === undefined
        ? new RequestError(-32602, message)
        : new RequestError(-32002, message, { sessionId })
    case 'usage':
    case 'bad-id':
    case 'unsupported':
    case 'no-folder':
    case 'unsupported-folder':
      return new RequestError(-32602, message)
    case 'busy':
      return new RequestError(-32600, message)
    default:
      return new RequestError(-32603, message)
  }
}
