/** Sending: the recipient, commands, and failures. */

import { useState } from 'react'
import type { PermissionMode } from '../../../shared/events/agent-event.ts'
import { LONGEST_MESSAGE, withPasted } from '../../../shared/messages/pasted-text.ts'
import { messageContent } from '../../../shared/messages/text-of.ts'
import { efforts } from '../../../shared/models/effort.ts'
import type { ExpandedCommand } from '../../../shared/slash/slash-command.ts'
import { command, pathOf } from '../../bridge.ts'
import { showChanges } from '../../stores/changes-store.ts'
import { askForComparison } from '../../stores/comparison-store.ts'
import {
  chooseEffort,
  chooseMode,
  chooseModel,
  compact,
  exportConversation,
  send as sendMessage,
  stopAll,
  toggleCoordinator,
} from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import {
  changeDraft,
  clearDraft,
  type Draft,
  draftKeyNow,
  draftOf,
  focusComposer,
  isEmptyDraft,
  moveDraft,
} from '../../stores/draft-store.ts'
import { showConversations, showNotice, showOverlay } from '../../stores/overlay-store.ts'
import { mayResume } from '../../stores/resume-question.ts'
import { setView, useSession } from '../../stores/session-store.ts'
import { showSettingsPart } from '../../stores/settings-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { sendToAll } from '../../stores/teams-and-workers.ts'
import { commandIn, runUserCommand } from '../../stores/user-commands.ts'
import { isForExternalAgent } from '../../ui/text/external-agent-text.ts'
import { PERMISSION_MODES } from '../../ui/text/permission-modes.ts'
import { quoted } from './completion-options.ts'
import { isImage, readImages } from './read-images.ts'
import { recipientOf } from './recipient.ts'
import { ofTheWindow, parseCommand, type SlashCommandName } from './slash-commands.ts'
import { rememberSent } from './use-composer-keys.ts'

interface Sending {
  /** Why the last attempt failed. */
  readonly problem: string | null
  readonly setProblem: (problem: string | null) => void
  /** What the user can do about the problem. */
  readonly offer: Offer | null
  /** The text of a command is being made. */
  readonly busy: boolean
  /** Sends the draft, or runs it as a command. */
  readonly send: () => Promise<void>
  readonly run: (name: SlashCommandName, argument: string) => void
}

interface Offer {
  readonly label: string
  readonly run: () => void
}

interface SendOptions {
  /** Whether a text that looks like a command is sent as it is. */
  readonly asText?: boolean
  /** The shell commands of the line that the user has allowed. */
  readonly approved?: readonly string[]
}

export function useSend(key: string): Sending {
  const [problem, setText] = useState<string | null>(null)
  const [offer, setOffer] = useState<Offer | null>(null)
  const [busy, setBusy] = useState(false)
  const setProblem = (text: string | null, next: Offer | null = null) => {
    setText(text)
    setOffer(next)
  }

  const run = (name: SlashCommandName, argument: string) => setProblem(runCommand(name, argument))

  /** What the agent receives for a command; null: nothing may be sent, and the problem says why. */
  const expand = async (draft: Draft, approved: readonly string[]): Promise<ExpandedCommand | null> => {
    const { folder, conversationId, draft: choices } = useSession.getState()
    if (folder === null) {
      setProblem('No folder is open. Open one first: agents work in a folder.')
      return null
    }
    setBusy(true)
    const answer = await command('slash.expand', {
      folder: useConversation.getState().record?.folder ?? folder.path,
      line: draft.text.trim(),
      agent: conversationId === null ? null : { conversationId, agentId: draft.recipientId },
      mode: choices.permissionMode,
      approved: [...approved],
    })
    setBusy(false)
    // The user changed the draft meanwhile.
    if (draftOf(key) !== draft) return null
    if (!answer.ok) {
      const { type, message } = answer.failure
      const asText = { label: 'Send as text', run: () => void send({ asText: true }) }
      setProblem(message, type === 'unknown' ? asText : null)
      return null
    }
    if (answer.value.kind === 'expanded') return answer.value.command
    const { commands } = answer.value
    setProblem(`The command runs in your shell:\n${commands.join('\n')}`, {
      label: 'Allow once and send',
      run: () => void send({ approved: commands }),
    })
    return null
  }

  const send = async ({ asText = false, approved = [] }: SendOptions = {}) => {
    const draft = draftOf(key)
    if (isEmptyDraft(draft) || busy) return
    const line = asText || !isPlainDraft(draft) ? null : commandIn(draft.text)
    if (line !== null) {
      clearDraft(key)
      setProblem(null)
      const ran = await runUserCommand(line)
      const now = useSession.getState().conversationId ?? key
      if (now !== key) moveDraft(key, now)
      if (ran.ok) rememberSent(useSession.getState().folder?.path ?? '', draft.text.trim())
      else {
        setProblem(ran.failure.message)
        if (isEmptyDraft(draftOf(now))) changeDraft(now, draft)
      }
      return
    }
    const parsed = asText || isForRecipient(draft) ? MESSAGE : parseCommand(draft.text)
    if (parsed.kind === 'command' && isPlainDraft(draft)) {
      clearDraft(key)
      run(parsed.name, parsed.argument)
      return
    }
    const expanded = parsed.kind === 'other' ? await expand(draft, approved) : null
    if (parsed.kind === 'other' && expanded === null) return
    const text = expanded?.text ?? draft.text.trim()
    const { agents, record } = useConversation.getState()
    const teams = record?.teams ?? []
    const recipient =
      expanded !== null && draft.recipientId === null
        ? ({ kind: 'main', text } as const)
        : recipientOf(text, draft.recipientId, { agents, teams })
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
    const images = draft.images.map((image) => image.block)
    const content = messageContent(withPasted(recipient.text, pasted), images)
    const answer =
      recipient.kind === 'team'
        ? await sendToAll({ content, agentIds: [...recipient.agentIds] })
        : await sendMessage({
            content,
            agentId: recipient.kind === 'agent' ? recipient.agentId : null,
            ...(expanded === null ? {} : { typed: draft.text.trim() }),
          })
    // The first message creates the conversation. A draft that was begun meanwhile belongs there, and so
    // does a message that failed after that.
    const now = useSession.getState().conversationId ?? key
    if (now !== key) moveDraft(key, now)
    if (answer.ok)
      rememberSent(useSession.getState().folder?.path ?? '', withPasted(draft.text.trim(), pasted))
    else {
      setProblem(answer.failure.message)
      if (isEmptyDraft(draftOf(now))) changeDraft(now, draft)
    }
  }

  return { problem, setProblem, offer, busy, send: () => send(), run }
}

/** Whether a draft can be a command: it is for the main agent, and has only its text. */
export const isPlainDraft = ({ recipientId, images, pasted }: Draft): boolean =>
  recipientId === null && images.length + pasted.length === 0

/** Why a draft is too long for a message, or null. */
export function tooLong({ text, pasted }: Draft): string | null {
  const { length } = withPasted(
    text.trim(),
    pasted.map((one) => one.text),
  )
  if (length <= LONGEST_MESSAGE) return null
  const most = LONGEST_MESSAGE.toLocaleString('en')
  return `The message has ${length.toLocaleString('en')} characters. A message can have at most ${most} characters, pasted text included. Save the text as a file in the folder and mention the file with @.`
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

/** Whether the text is a command that the recipient's external agent reads itself. */
function isForRecipient({ recipientId, text }: Draft): boolean {
  const { agents, record } = useConversation.getState()
  if (!isForExternalAgent(agents.get(recipientId ?? record?.mainAgentId ?? ''), text)) return false
  const parsed = parseCommand(text)
  return recipientId !== null || parsed.kind !== 'command' || !ofTheWindow.has(parsed.name)
}

const MESSAGE = { kind: 'message' } as const
const EFFORTS = ['default', ...efforts] as const

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
    case 'best':
      if (useSession.getState().folder?.trusted !== true)
        return 'Trust the folder first: each agent gets a git worktree of it.'
      askForComparison(argument)
      return null
    case 'effort': {
      const level = EFFORTS.find((one) => one === argument.toLowerCase())
      if (level === undefined) return `Name a level: ${EFFORTS.map((one) => `/effort ${one}`).join(', ')}.`
      void chooseEffort(level === 'default' ? null : level)
      return null
    }
    case 'compact': {
      const { conversationId } = useSession.getState()
      if (conversationId === null) return 'There is no conversation yet, so there is nothing to summarize.'
      void compact(conversationId, argument.slice(0, 10_000))
      return null
    }
    case 'context':
      if (useSession.getState().conversationId === null)
        return 'There is no conversation yet. /context shows what fills its context window.'
      showOverlay('context', null)
      return null
    case 'changes':
      setView('stage')
      showChanges(true)
      return null
    case 'agents':
      setView('agents')
      return null
    case 'mcp':
      showSettingsPart('mcp')
      return null
    case 'hooks':
      showSettingsPart('hooks')
      return null
    case 'permissions':
      showSettingsPart('permissions')
      return null
    case 'resume':
      showConversations(argument)
      return null
    case 'export':
      if (useSession.getState().conversationId === null)
        return 'There is no conversation yet, so there is nothing to export.'
      exportConversation()
      return null
    case 'memory':
      if (useSession.getState().folder === null) return 'Open a folder first.'
      showOverlay('memory')
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

/** Takes files that were dropped outside the composer, then focuses it. */
export async function takeDropped(files: readonly File[]): Promise<void> {
  const problem = await takeFiles(draftKeyNow(), files)
  if (problem !== null) showNotice({ level: 'error', text: problem })
  focusComposer()
}
