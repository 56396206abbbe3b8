/** Sending: the recipient, commands, and failures. */
import { useState } from 'react'
import type { PermissionMode } from '../../../shared/agent-event.ts'
import { LONGEST_MESSAGE, withPasted } from '../../../shared/pasted-text.ts'
import { pathOf } from '../../bridge.ts'
import { chooseMode, chooseModel, send as sendMessage, stopAll } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { toggleCoordinator } from '../../stores/coordinator-mode.ts'
import {
  changeDraft,
  clearDraft,
  type Draft,
  draftOf,
  isEmptyDraft,
  moveDraft,
} from '../../stores/draft-store.ts'
import { showOverlay } from '../../stores/overlay-store.ts'
import { PERMISSION_MODES } from '../../stores/permission-modes.ts'
import { mayResume } from '../../stores/resume-question.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { sendToAll } from '../../stores/team-actions.ts'
import { quoted } from './completion-options.ts'
import { isImage, readImages } from './read-images.ts'
import { recipientOf } from './recipient.ts'
import { rememberSent } from './sent-history.ts'
import { parseCommand, type SlashCommandName } from './slash-commands.ts'

export interface Sending {
  /** Why the last attempt failed. */
  readonly problem: string | null
  readonly setProblem: (problem: string | null) => void
  /** Sends the draft, or runs it as a command. */
  readonly send: () => Promise<void>
  readonly run: (name: SlashCommandName, argument: string) => void
}

export function useSend(key: string): Sending {
  const [problem, setProblem] = useState<string | null>(null)

  const run = (name: SlashCommandName, argument: string) => setProblem(runCommand(name, argument))

  const send = async () => {
    const draft = draftOf(key)
    const text = draft.text.trim()
    if (isEmptyDraft(draft)) return
    const isPlain = draft.recipientId === null && draft.images.length + draft.pasted.length === 0
    const command = isPlain ? parseCommand(draft.text) : MESSAGE
    if (command.kind === 'unknown') {
      setProblem(
        `Unknown command /${command.name}. /help lists the commands. To send this as a message, begin with a space.`,
      )
      return
    }
    if (command.kind === 'command') {
      clearDraft(key)
      run(command.name, command.argument)
      return
    }
    const { agents, record } = useConversation.getState()
    const recipient = recipientOf(text, draft.recipientId, { agents, teams: record?.teams ?? [] })
    if (recipient.kind === 'ambiguous') {
      setProblem(
        `${recipient.amount} running agents are named ${recipient.name}. Type @ and pick one from the list.`,
      )
      return
    }
    const tooMuch = tooLong(draft)
    setProblem(tooMuch)
    if (tooMuch !== null) return
    const pasted = draft.pasted.map((one) => one.text)
    if (recipient.kind === 'agent') {
      if (!(await mayResume(agents.get(recipient.agentId)))) return
      // The user changed the draft while the question was open.
      if (draftOf(key) !== draft) return
    }
    clearDraft(key)
    const message = {
      text: withPasted(recipient.text, pasted),
      images: draft.images.map((image) => image.block),
    }
    const answer =
      recipient.kind === 'team'
        ? await sendToAll({ ...message, agentIds: [...recipient.agentIds] })
        : await sendMessage({
            ...message,
            agentId: recipient.kind === 'agent' ? recipient.agentId : null,
          })
    // The first message creates the conversation. A draft that was begun meanwhile belongs there, and so
    // does a message that failed after that.
    const now = useSession.getState().conversationId ?? key
    if (now !== key) moveDraft(key, now)
    if (answer.ok) rememberSent(useSession.getState().folder?.path ?? '', withPasted(text, pasted))
    else {
      setProblem(answer.failure.message)
      if (isEmptyDraft(draftOf(now))) changeDraft(now, draft)
    }
  }

  return { problem, setProblem, send, run }
}

/** Why a draft is too long for a message, or null. */
export function tooLong({ text, pasted }: Draft): string | null {
  const { length } = withPasted(
    text.trim(),
    pasted.map((one) => one.text),
  )
  if (length <= LONGEST_MESSAGE) return null
  const most = LONGEST_MESSAGE.toLocaleString('en')
  return `The message has ${length.toLocaleString('en')} characters. A message can have at most ${most} characters, pasted text included. Save the text as a file in the folder and mention the file with #.`
}

/** Attaches pasted or dropped images and inserts the paths of other files. Returns an error message, or null. */
export async function takeFiles(key: string, files: readonly File[]): Promise<string | null> {
  const { images, problems } = await readImages(files.filter(isImage), draftOf(key).images.length)
  const folder = useSession.getState().folder?.path
  const paths = files.filter((file) => !isImage(file)).map((file) => quoted(relativeTo(folder, pathOf(file))))
  const { text } = draftOf(key)
  const inserted = paths.filter((path) => path !== '').join(' ')
  changeDraft(key, {
    images: [...draftOf(key).images, ...images],
    ...(inserted === ''
      ? {}
      : { text: text === '' || /\s$/.test(text) ? `${text}${inserted} ` : `${text} ${inserted} ` }),
  })
  return problems.length === 0 ? null : problems.join('\n')
}

const MESSAGE = { kind: 'message' } as const

/** Runs a command. Returns an error message, or null. */
function runCommand(name: SlashCommandName, argument: string): string | null {
  switch (name) {
    case 'clear':
      void openConversation(null)
      return null
    case 'model':
      if (argument === '') return 'Name a model: /model sonnet, or an id that the API lists.'
      void chooseModel(argument)
      return null
    case 'mode': {
      const known = PERMISSION_MODES.map((mode) => mode.value)
      const mode = known.find((name) => name.toLowerCase() === argument.toLowerCase())
      if (mode === undefined) return `Name a mode: ${known.map((name) => `/mode ${name}`).join(', ')}.`
      return tryMode(mode)
    }
    case 'coordinator':
      toggleCoordinator()
      return null
    case 'cost':
      showOverlay('usage')
      return null
    case 'help':
      showOverlay('help')
      return null
    case 'stop':
      void stopAll()
      return null
  }
}

function tryMode(mode: PermissionMode): string | null {
  if (mode === 'bypassPermissions' && useSession.getState().folder?.bypassAllowed !== true)
    return 'Bypassing permissions is not allowed in this folder. You can allow it in the settings.'
  void chooseMode(mode)
  return null
}

function relativeTo(folder: string | undefined, path: string): string {
  return folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}
