/** Requests of a program for terminals and forms, as a connection answers them. */
import type { ClientApp, CreateElicitationRequest, CreateElicitationResponse } from '@agentclientprotocol/sdk'
import type { AgentTerminals } from './agent-terminals.ts'

/** A session's part of the answers. A rejection becomes the error of its request. */
export interface MoreOfHost {
  terminals(): Pick<AgentTerminals, 'create' | 'output' | 'waitForExit' | 'kill' | 'release'>
  /** Shows a form. Aborting the signal closes it. */
  elicit(request: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse>
}

/** What this file answers, for the handshake. */
export const MORE_CAPABILITIES = { terminal: true, elicitation: { form: {}, url: {} } }

/** Finds the host of a session, lets it work, and turns what it throws into the answer. */
type Answering = <T>(sessionId: string, work: (host: MoreOfHost) => Promise<T>) => Promise<T>

export function answerMore(
  app: ClientApp,
  methods: typeof import('@agentclientprotocol/sdk').methods.client,
  answering: Answering,
): ClientApp {
  const { terminal, elicitation } = methods
  /** Forms with a page, by the program's id of them. */
  const pages = new Map<string, AbortController>()
  return app
    .onRequest(terminal.create, ({ params }) =>
      answering(params.sessionId, async (host) => ({ terminalId: await host.terminals().create(params) })),
    )
    .onRequest(terminal.output, ({ params: { sessionId, terminalId } }) =>
      answering(sessionId, async (host) => host.terminals().output(terminalId)),
    )
    .onRequest(terminal.waitForExit, ({ params: { sessionId, terminalId } }) =>
      answering(sessionId, (host) => host.terminals().waitForExit(terminalId)),
    )
    .onRequest(terminal.kill, ({ params: { sessionId, terminalId } }) =>
      answering(sessionId, async (host) => {
        await host.terminals().kill(terminalId)
        return {}
      }),
    )
    .onRequest(terminal.release, ({ params: { sessionId, terminalId } }) =>
      answering(sessionId, async (host) => {
        await host.terminals().release(terminalId)
        return {}
      }),
    )
    .onRequest(elicitation.create, async ({ params, signal }): Promise<CreateElicitationResponse> => {
      // A question of no session has no panel.
      if (!('sessionId' in params) || typeof params.sessionId !== 'string') return { action: 'cancel' }
      const left = new AbortController()
      const id = 'elicitationId' in params ? String(params.elicitationId) : null
      if (id !== null) pages.set(id, left)
      const closes = AbortSignal.any([signal, left.signal])
      try {
        return await answering(params.sessionId, (host) => host.elicit(params, closes))
      } finally {
        if (id !== null) pages.delete(id)
      }
    })
    .onNotification(elicitation.complete, ({ params }) => pages.get(params.elicitationId)?.abort())
}
