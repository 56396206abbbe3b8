/** Answers what an external agent asks of Troupe: permissions, and files to read and to write. */
import { isAbsolute } from 'node:path'
import type { AgentEventDraft } from '../../../../shared/events/agent-event.ts'
import { formOf, formResponse } from '../../../platform/acp/forms.ts'
import { CANCELED, choicesOf, chosen } from '../../../platform/acp/permissions.ts'
import { patchOf } from '../../../platform/acp/tool-calls.ts'
import type { BackedAgent } from '../../../runtime/ports/agent-backing.ts'
import type { FileSystem } from '../../../runtime/ports/files.ts'
import type { SessionHost } from './acp-connection.ts'
import { inputFor, judgedOf } from './outside-call.ts'
import type { ProgramChanges } from './program-changes.ts'
import type { ProgramTerminals } from './program-terminals.ts'
import type { UpdateRecorder } from './update-recorder.ts'

/** Bytes of a file that the program reads through Troupe. */
const LARGEST_FILE = 10 * 1024 * 1024

export interface HostOptions {
  readonly agent: BackedAgent
  readonly permit: BackedAgent['permit']
  readonly recorder: UpdateRecorder
  readonly files: FileSystem
  readonly changes: ProgramChanges
  readonly terminals: ProgramTerminals
  readonly emit: (draft: AgentEventDraft) => void
  readonly updated: () => void
  readonly signal: AbortSignal
}

export function createHost({
  agent,
  permit: permitCall,
  recorder,
  files,
  changes,
  terminals,
  emit,
  updated,
  signal,
}: HostOptions): SessionHost {
  let requests = 0
  const { cwd } = agent.state()

  /** The real path of a file that may be used this way. */
  async function permitted(
    path: string,
    target: { readonly kind: 'read' } | { readonly kind: 'write'; readonly preview: string },
  ): Promise<string> {
    if (!isAbsolute(path)) throw new Error(`The path ${path} is not absolute.`)
    const permit = await permitCall(
      {
        toolUseId: `acp-fs-${++requests}-${agent.state().lastSeq}`,
        tool: target.kind === 'read' ? 'Read' : 'Write',
        target: { ...target, path },
        input: { file_path: path },
      },
      signal,
    )
    if (!permit.ok) throw new Error(permit.failure.message)
    const real = await files.realPath(path)
    // A link may have changed while the user was asked.
    if (!real.ok || (permit.value.realPath ?? real.value) !== real.value)
      throw new Error(`${path} is not the file that was permitted.`)
    return real.value
  }

  return {
    terminals: () => terminals,

    async elicit(request, closes) {
      const form = formOf(request, agent.state().definition.name)
      if (form === null) return { action: 'decline' }
      const callId =
        'toolCallId' in request && typeof request.toolCallId === 'string' ? request.toolCallId : null
      const toolUseId = (callId === null ? null : recorder.callNamed(callId)?.id) ?? 'acp-question'
      const asked = { toolUseId, toolName: 'acp_question', form }
      const answer = await agent.askForm(asked, AbortSignal.any([signal, closes]))
      const response = formResponse(form, answer)
      if (!response.ok) throw new Error(response.failure.message)
      return response.value
    },

    update(update) {
      try {
        recorder.take(update)
      } catch {
        // An update of a wrong shape. The log takes only events of a right one.
      }
      updated()
    },

    async permission({ toolCall, options }) {
      const call = recorder.call(toolCall, { begins: true })
      updated()
      const allJudged = judgedOf(call, cwd)
      // One choice can't be the answer to several questions.
      const choices = allJudged.length === 1 ? choicesOf(options) : []
      const isOnlyAlways = !options.some(({ kind }) => kind === 'allow_once')
      const refuse = (why: string, denied?: string) => {
        recorder.refused(call)
        emit({ type: 'notice', level: 'info', text: `Refused: ${call.title}. ${why}` })
        return signal.aborted ? CANCELED : chosen(options, ['reject_once', 'reject_always'], denied)
      }
      let choice: string | undefined
      for (const judged of allJudged) {
        const permit = await permitCall(
          {
            ...{ toolUseId: call.id, ...judged, input: inputFor(judged, call.rawInput), choices },
            ...(isOnlyAlways && { ask: ONLY_ALWAYS }),
          },
          signal,
        )
        const stops = !permit.ok && permit.failure.stops
        if (signal.aborted && !stops) return CANCELED
        if (!permit.ok) return refuse(permit.failure.message, permit.failure.choice)
        choice = permit.value.choice
        if (permit.value.because !== null)
          emit({ type: 'notice', level: 'info', text: `Not asked: ${call.title}. ${permit.value.because}` })
      }
      if (isOnlyAlways && choice === undefined) return refuse(`${ONLY_ALWAYS} Choose one of its own answers.`)
      for (const { target } of allJudged) if (target.kind === 'command') terminals.allow(target.command)
      await changes.settle()
      return chosen(options, ['allow_once'], choice)
    },

    async readFile({ path, line, limit }) {
      const read = await files.read(await permitted(path, { kind: 'read' }), {
        real: true,
        limit: LARGEST_FILE,
      })
      if (!read.ok) throw new Error(`${path} could not be read: ${read.failure.message}`)
      return part(new TextDecoder().decode(read.value), line, limit)
    },

    async writeFile({ path, content }) {
      const before = await files.read(path, { limit: LARGEST_FILE })
      const old = before.ok ? new TextDecoder().decode(before.value) : ''
      const real = await permitted(path, { kind: 'write', preview: patchOf(old, content) })
      await changes.settle()
      const shown = recorder.openCall(path)
      const oldText = before.ok ? old : null
      const call =
        shown ??
        recorder.call({
          toolCallId: `troupe-write-${requests}`,
          kind: 'edit',
          title: `Write ${path}`,
          status: 'in_progress',
          content: [{ type: 'diff', path, oldText, newText: content }],
        })
      recorder.start(call)
      const recorded = await changes.write(real, call.id, async () => {
        const written = await files.write(real, content, { real: true })
        if (!written.ok) throw new Error(`${path} could not be written: ${written.failure.message}`)
      })
      if (shown === null)
        recorder.call({ toolCallId: call.toolCallId, status: recorded.ok ? 'completed' : 'failed' })
      if (!recorded.ok) throw new Error(recorded.failure.message)
    },
  }
}

const ONLY_ALWAYS = 'The program has no answer that allows this call alone.'

function part(text: string, line: number | null = null, limit: number | null = null): string {
  if (line === null && limit === null) return text
  const from = Math.max(0, (line ?? 1) - 1)
  return text
    .split('\n')
    .slice(from, limit === null ? undefined : from + limit)
    .join('\n')
}
