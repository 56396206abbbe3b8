/**
 * Reads what goes over the wire between an editor and `troupe acp`, as the developer of another editor would: each
 * message is right by the protocol's own schema, and their order tells a whole story.
 */
import { isAbsolute } from 'node:path'
import { type ProtocolSchema, protocolSchema } from './protocol-schema.ts'

interface Message {
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Fields
  readonly result?: Fields
  readonly error?: unknown
}
type Fields = Readonly<Record<string, unknown>>

interface Session {
  readonly parent: string | null
  /** The states of its calls. */
  readonly calls: Map<string, string>
  /** The ids of messages that are over, and by kind the one that is not. */
  readonly messages: { readonly over: Set<string>; readonly current: Map<string, string> }
}

export interface WireCheck {
  /** Takes text that the editor sent, in pieces as they come. */
  readonly sent: (text: string) => void
  /** Takes text that Troupe sent. */
  readonly received: (text: string) => void
  /** What is wrong so far. */
  readonly complaints: () => readonly string[]
}

const ENDED = ['completed', 'failed']

export function wireCheck(): WireCheck {
  const complaints: string[] = []
  const sessions = new Map<string, Session>()
  const requests = new Map<unknown, Message>()
  const asked = new Map<unknown, string>()
  let schema: ProtocolSchema = protocolSchema('schema.json')

  const begin = (id: string, parent: string | null = null) =>
    sessions.set(id, { parent, calls: new Map(), messages: { over: new Set(), current: new Map() } })

  const ofEditor = (message: Message) => {
    const { id, method, params } = message
    if (method === undefined) {
      asked.delete(id)
      return
    }
    if (id !== undefined) requests.set(id, message)
    if (
      method === 'initialize' &&
      isFields(params?.['clientCapabilities']) &&
      params['clientCapabilities']['subagents']
    )
      schema = protocolSchema('schema.unstable.json')
    // The history comes before the answer.
    if (method === 'session/load' || method === 'session/resume') begin(String(params?.['sessionId']))
  }

  const ofTroupe = (message: Message): readonly string[] => {
    const { id, method, params = {}, ...rest } = message
    const outer = Object.keys(rest).filter((field) => !['jsonrpc', 'result', 'error'].includes(field))
    if (outer.length > 0) return [`unknown fields ${outer.join(', ')}`]
    if (method === undefined) return answered(message)
    if (method === '$/cancel_request') {
      asked.delete(params['requestId'])
      return schema.check('CancelRequestNotification', params)
    }
    const type = schema.typeOf(method, 'client', id === undefined ? 'Notification' : 'Request')
    if (type === null) return [`${method} is no ${id === undefined ? 'notification' : 'request'}`]
    if (id !== undefined) asked.set(id, String(params['sessionId']))
    const errors = [...schema.check(type, params)]
    const sessionId = String(params['sessionId'])
    const session = sessions.get(sessionId)
    if (session === undefined) return [...errors, `nothing is known of the session ${sessionId}`]
    const call = params['toolCallId']
    if (method === 'elicitation/create' && call !== undefined && !session.calls.has(String(call)))
      errors.push(`the form is of the call ${String(call)}, which has not begun`)
    if (method === 'session/request_permission') errors.push(...ofPermission(session, params))
    if (isFields(params['update'])) errors.push(...ofUpdate(session, sessionId, params['update']))
    return errors
  }

  const answered = ({ id, result, error }: Message): readonly string[] => {
    const request = requests.get(id)
    requests.delete(id)
    if (error !== undefined) return schema.check('Error', error)
    if (request?.method === undefined) return [`an answer to ${String(id)}, which was not asked`]
    const type = schema.typeOf(request.method, 'agent', 'Response')
    if (type === null) return [`an answer to the unknown method ${request.method}`]
    const sessionId = String(request.params?.['sessionId'])
    if (request.method === 'session/new') begin(String(result?.['sessionId']))
    const isOver = request.method === 'session/prompt' || request.method === 'session/load'
    const open = isOver ? unfinished(sessionId, request.method) : []
    return [...schema.check(type, result), ...open]
  }

  /** What a session still shows as running, with those below it. */
  const unfinished = (sessionId: string, method: string): readonly string[] => [
    ...[...(sessions.get(sessionId)?.calls ?? [])].flatMap(([call, status]) =>
      ENDED.includes(status) ? [] : [`${method} is over, and the call ${call} of ${sessionId} is ${status}`],
    ),
    ...[...asked.values()].flatMap((of) =>
      of === sessionId ? [`${method} is over, and a question of ${sessionId} is open`] : [],
    ),
    ...[...sessions].flatMap(([id, { parent }]) => (parent === sessionId ? unfinished(id, method) : [])),
  ]

  const ofUpdate = (session: Session, sessionId: string, update: Fields): readonly string[] => {
    const kind = String(update['sessionUpdate'])
    switch (kind) {
      case 'tool_call':
      case 'tool_call_update':
        return ofCall(session, update, kind === 'tool_call')
      case 'agent_message_chunk':
      case 'agent_thought_chunk':
      case 'user_message_chunk':
        return ofChunk(session, kind, update['messageId'])
      case 'subagent_update': {
        const child = String(update['sessionId'])
        if ('cwd' in update) begin(child, sessionId)
        return sessions.has(child) ? [] : [`the child session ${child} was not announced`]
      }
      default:
        return []
    }
  }

  const check = (message: Message) => {
    for (const complaint of ofTroupe(message))
      complaints.push(`${complaint}\n    in ${JSON.stringify(message).slice(0, 600)}`)
  }
  return { sent: lines(ofEditor), received: lines(check), complaints: () => complaints }
}

function ofCall(session: Session, call: Fields, isNew: boolean): readonly string[] {
  const id = String(call['toolCallId'])
  const before = session.calls.get(id)
  const status = String(call['status'] ?? before ?? 'pending')
  session.calls.set(id, status)
  return [
    ...(isNew && before !== undefined ? [`the call ${id} begins twice`] : []),
    ...(isNew || before !== undefined ? [] : [`the call ${id} has not begun`]),
    ...(before !== undefined && ENDED.includes(before) && !ENDED.includes(status)
      ? [`the call ${id} was ${before} and is ${status}`]
      : []),
    ...shown(call),
  ]
}

function ofPermission({ calls }: Session, { toolCall, options }: Fields): readonly string[] {
  if (!isFields(toolCall) || !Array.isArray(options)) return []
  const id = String(toolCall['toolCallId'])
  const ids = options.map((option: Fields) => option['optionId'])
  return [
    ...(calls.has(id) ? [] : [`the call ${id} asks, and has not begun`]),
    ...(new Set(ids).size < ids.length ? ['two options have the same id'] : []),
    ...shown(toolCall),
  ]
}

/** What the user sees of a call. */
function shown({ title, locations = [], content = [] }: Fields): readonly string[] {
  const paths = [locations, content].flat().flatMap((each) => (isFields(each) ? (each['path'] ?? []) : []))
  return [
    ...(typeof title === 'string' && (title.trim() === '' || title.includes('\n'))
      ? [`the title ${JSON.stringify(title)} is not one line`]
      : []),
    ...paths.flatMap((path) =>
      isAbsolute(String(path)) ? [] : [`the path ${String(path)} is not absolute`],
    ),
  ]
}

/** The chunks of one message follow each other. */
function ofChunk({ messages }: Session, kind: string, id: unknown): readonly string[] {
  if (typeof id !== 'string') return [`a piece of a message says not of which`]
  const before = messages.current.get(kind)
  if (before === id) return []
  messages.current.set(kind, id)
  if (before !== undefined) messages.over.add(before)
  return messages.over.has(id) ? [`the message ${id} goes on after another one`] : []
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** Calls back with each message. Lines that are none are left out. */
function lines(take: (message: Message) => void): (text: string) => void {
  let rest = ''
  return (text) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      let message: unknown
      try {
        message = JSON.parse(line)
      } catch {
        continue
      }
      if (isFields(message)) take(message)
    }
  }
}
