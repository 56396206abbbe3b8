/** Sending: whom it is for, commands, and what happens when it fails. */
import { useState } from 'react'
import type { PermissionMode } from '../../../shared/agent-event.ts'
import { pathOf } from '../../bridge.ts'
import { chooseMode, chooseModel, send as sendMessage, stopAll } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { changeDraft, type Draft, draftOf, moveDraft } from '../../stores/draft-store.ts'
import { PERMISSION_MODES } from '../../stores/permission-modes.ts'
import { mayResume } from '../../stores/resume-question.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { isImage, readImages } from './read-images.ts'
import { recipientOf } from './recipient.ts'
import { rememberSent } from './sent-history.ts'
import { parseCommand, type SlashCommandName } from './slash-commands.ts'
import { quoted } from './use-completion.ts'

const EMPTY: Draft = { text: '', images: [], recipientId: null }
const LONGEST = 1_000_000

export interface Sending {
  /** What stood in the way the last time, in words. */
  readonly problem: string | null
  readonly setProblem: (problem: string | null) => void
  /** Sends the draft, or runs it where it is a command. */
  readonly send: () => Promise<void>
  readonly run: (name: SlashCommandName, argument: string) => void
}

export function useSend(key: string, openDialog: (dialog: 'help' | 'cost') => void): Sending {
  const [problem, setProblem] = useState<string | null>(null)

  const run = (name: SlashCommandName, argument: string) => setProblem(runCommand(name, argument, openDialog))

  const send = async () => {
    const draft = draftOf(key)
    const text = draft.text.trim()
    if (text === '' && draft.images.length === 0) return
    const command = draft.recipientId === null && draft.images.length === 0 ? parseCommand(draft.text) : WORDS
    if (command.kind === 'unknown') {
      setProblem(
        `There is no command /${command.name}. /help lists them; to send it as words, begin with a space.`,
      )
      return
    }
    if (command.kind === 'command') {
      changeDraft(key, EMPTY)
      run(command.name, command.argument)
      return
    }
    const recipient = recipientOf(text, draft.recipientId, useConversation.getState().agents)
    if (recipient.kind === 'unclear') {
      setProblem(
        `${recipient.amount} agents at work are named ${recipient.name}: type @ and choose one from the list.`,
      )
      return
    }
    if (recipient.text.length > LONGEST) {
      setProblem(
        'This message is longer than a million characters. Save it as a file and name the file instead.',
      )
      return
    }
    setProblem(null)
    if (recipient.kind === 'agent') {
      if (!(await mayResume(useConversation.getState().agents.get(recipient.agentId)))) return
      // Who wrote on while it was asked means what stands there now.
      if (draftOf(key) !== draft) return
    }
    changeDraft(key, EMPTY)
    const answer = await sendMessage({
      agentId: recipient.kind === 'agent' ? recipient.agentId : null,
      text: recipient.text,
      images: draft.images.map((image) => image.block),
    })
    // With the first message came the conversation: what was written meanwhile belongs there, and so does
    // the message if it failed after that.
    const now = useSession.getState().conversationId ?? key
    if (now !== key) moveDraft(key, now)
    if (answer.ok) rememberSent(useSession.getState().folder?.path ?? '', text)
    else {
      setProblem(answer.failure.message)
      if (draftOf(now).text === '') changeDraft(now, draft)
    }
  }

  return { problem, setProblem, send, run }
}

/** Takes files that were pasted or dropped: images are attached, of others the path is written. Words for what failed. */
export async function takeFiles(key: string, files: readonly File[]): Promise<string | null> {
  const { images, problems } = await readImages(files.filter(isImage), draftOf(key).images.length)
  const folder = useSession.getState().folder?.path
  const paths = files.filter((file) => !isImage(file)).map((file) => quoted(relativeTo(folder, pathOf(file))))
  const { text } = draftOf(key)
  const words = paths.filter((path) => path !== '').join(' ')
  changeDraft(key, {
    images: [...draftOf(key).images, ...images],
    ...(words === ''
      ? {}
      : { text: text === '' || /\s$/.test(text) ? `${text}${words} ` : `${text} ${words} ` }),
  })
  return problems.length === 0 ? null : problems.join('\n')
}

const WORDS = { kind: 'words' } as const

/** Runs a command. Words where that was not possible. */
function runCommand(
  name: SlashCommandName,
  argument: string,
  openDialog: (dialog: 'help' | 'cost') => void,
): string | null {
  switch (name) {
    case 'clear':
      void openConversation(null)
      return null
    case 'model':
      if (argument === '') return 'Say which: /model sonnet, or an id the API lists.'
      void chooseModel(argument)
      return null
    case 'mode': {
      const known = PERMISSION_MODES.map((mode) => mode.value)
      const mode = known.find((name) => name.toLowerCase() === argument.toLowerCase())
      if (mode === undefined) return `Say which: ${known.map((name) => `/mode ${name}`).join(', ')}.`
      return tryMode(mode)
    }
    case 'cost':
    case 'help':
      openDialog(name)
      return null
    case 'stop':
      void stopAll()
      return null
  }
}

function tryMode(mode: PermissionMode): string | null {
  if (mode === 'bypassPermissions' && useSession.getState().folder?.bypassAllowed !== true)
    return 'Bypassing permissions is not allowed in this folder. It can be allowed in the settings.'
  void chooseMode(mode)
  return null
}

function relativeTo(folder: string | undefined, path: string): string {
  return folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}
