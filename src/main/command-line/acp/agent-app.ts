/** The methods of the protocol that Troupe offers to editors. */
import type {
  AgentApp,
  AgentContext,
  AuthMethod,
  InitializeResponse,
  RequestError as RequestErrorClass,
} from '@agentclientprotocol/sdk'
import type { Failure, Result } from '../../../shared/result.ts'
import type { AcpContext } from './acp-context.ts'
import type { AcpSession } from './acp-session.ts'
import { AcpSessions } from './acp-sessions.ts'

type Sdk = typeof import('@agentclientprotocol/sdk')

/** The app, and what it does until the connection ends. */
export interface TroupeApp {
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

export function createAgentApp(sdk: Sdk, context: AcpContext): TroupeApp {
  const { agent, methods, RequestError, PROTOCOL_VERSION } = sdk
  let sessions: AcpSessions | null = null

  const served = (): AcpSessions => {
    if (sessions === null) throw RequestError.internalError(undefined, 'There is no connection.')
    return sessions
  }
  const sessionOf = (id: string): AcpSession => {
    const session = served().get(id)
    if (session === null) throw RequestError.sessionNotFound(id)
    return session
  }
  const unwrapped = <T>(result: Result<T>, sessionId?: string): T => {
    if (result.ok) return result.value
    throw errorOf(RequestError, result.failure, sessionId)
  }
  /** An editor knows a session only after the answer that names it. */
  const afterAnswer = (id: string) => {
    setImmediate(() => {
      const session = sessions?.get(id)
      if (session)
        sessions?.tellCommands(session).catch((thrown: unknown) => context.complain(String(thrown)))
    })
  }
  const load = async (request: Parameters<AcpSessions['load']>[0], options: { readonly replay: boolean }) => {
    const started = unwrapped(await served().load(request, options), request.sessionId)
    afterAnswer(request.sessionId)
    return started
  }

  const app = agent({ name: 'troupe' })
    .onRequest(
      methods.agent.initialize,
      (): InitializeResponse => ({
        // The only version that Troupe speaks; an editor with another one ends the connection.
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'troupe', title: 'Troupe', version: context.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, resume: {}, close: {} },
        },
        authMethods: [KEY_METHOD],
      }),
    )
    .onRequest(methods.agent.authenticate, () => {
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
    .onRequest(methods.agent.session.list, async ({ params }) => ({
      sessions: await served().list(params.cwd ?? null),
    }))
    .onRequest(methods.agent.session.close, async ({ params }) => {
      sessionOf(params.sessionId)
      await served().drop(params.sessionId)
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
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      served().get(params.sessionId)?.cancel()
    })

  return {
    app,
    serve: (client) => {
      sessions = new AcpSessions(context, {
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
      })
    },
    close: () => sessions?.close(),
  }
}

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
