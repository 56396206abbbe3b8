/** What the desktop answers itself: all that is about a window, its folder, its stream, and the system around it. */
import { writeFile } from 'node:fs/promises'
import { stableColor } from '../../../shared/agent-definition/agent-color.ts'
import type { AgentTestsSnapshot } from '../../../shared/agent-tests/agent-tests.ts'
import type { AgentRef } from '../../../shared/commands/agent-page.ts'
import type { EnvironmentsSnapshot } from '../../../shared/environments/environments.ts'
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { McpState } from '../../../shared/mcp/mcp.ts'
import type { DraftStorage } from '../../../shared/messages/draft.ts'
import { receiverAddress, sharedFileName } from '../../../shared/sharing/sharing.ts'
import type { FolderInfo, StartInfo } from '../../../shared/window/contract.ts'
import type { LoadedDefinition } from '../../runtime/ports/definitions.ts'
import type { Access } from '../access/model-access.ts'
import type { ProgramKeys } from '../access/program-keys.ts'
import type { ProviderAccess } from '../access/providers.ts'
import type { FolderFollower } from '../folder-follower.ts'
import type { ReviewWatch } from '../review/review-watch.ts'
import type { SubscriptionListener } from '../services.ts'
import type { StatusLineService } from '../status-line/status-line.ts'
import type { Tutorial } from '../tutorial/tutorial.ts'
import type { CommandCall, WindowHandlers } from './dispatch.ts'
import { openSettings, type SettingsParts, settingsCommands, updateCommands } from './settings-commands.ts'
import { tryDefinitionCommands } from './try-definitions.ts'

export interface OpenFolder {
  readonly path: string
  /** Whether to open another window for it. */
  readonly newWindow: boolean
  /** The conversation to show; null: the folder's last one. */
  readonly conversationId: string | null
}

export interface WindowParts extends SettingsParts {
  readonly access: Access
  readonly providers: ProviderAccess
  readonly programKeys: ProgramKeys
  readonly drafts: DraftStorage
  readonly tutorial: Pick<Tutorial, 'handlers'>
  readonly mcpWatch: FolderFollower<McpState>
  readonly environmentWatch: FolderFollower<EnvironmentsSnapshot>
  readonly agentTestWatch: Pick<FolderFollower<AgentTestsSnapshot>, 'follow'>
  readonly preview: HandlersOf<'preview'>
  readonly reviewWatch: Pick<ReviewWatch, 'follow'>
  readonly statusLine: Pick<StatusLineService, 'test'>
  /** Called when the window subscribes to a conversation, or ends a subscription. */
  readonly subscriptions?: SubscriptionListener
  readonly start: () => Promise<StartInfo>
  /** Shows the system's dialog. @returns null if it was canceled */
  readonly pickFolder: () => Promise<string | null>
  /** Opens a folder in the command's window. @returns null if another window shows it */
  readonly openFolder: (request: OpenFolder) => Promise<Result<FolderInfo | null>>
  /** Makes a fresh copy of the sample project. @returns its folder */
  readonly copySample: () => Promise<Result<string>>
  /** Agents in windows of their own. */
  readonly agentWindow: {
    open(agent: AgentRef): void
    close(agent: AgentRef): void
  }
  /** Asks where to save a file of this name. @returns its absolute path; null: canceled */
  readonly askForFile: (name: string) => Promise<string | null>
  /** Asks whether the spans of this conversation may be sent to this address. */
  readonly confirmSending: (title: string, url: URL) => Promise<boolean>
  /** Asks for a file to import. @returns its absolute path; null: canceled */
  readonly askForImport: () => Promise<string | null>
  /** Tells all windows. */
  readonly pushAll: (delta: WindowDelta) => void
  /** Notifies the user if the window is in the background. */
  readonly notify: (notice: {
    readonly title: string
    readonly body: string
    readonly needsYou: number
  }) => void
}

export function windowCommands(parts: WindowParts): WindowHandlers {
  const { program, folders, access, providers, programKeys, agentWindow, reviewWatch } = parts
  return {
    start: async () => ok(await parts.start()),
    ...folderCommands(parts),
    ...streamCommands(parts),
    ...systemCommands(parts),
    ...settingsCommands(parts),
    ...openSettings(parts),
    ...parts.tutorial.handlers,
    ...parts.preview,
    'keys.state': async () => ok(parts.keyBindings.current),
    'keys.claude': async () => ok(await parts.keyBindings.ofClaudeCode()),
    'keys.set': ({ keys }) => parts.keyBindings.set(keys),
    'keys.reset': ({ ids }) => parts.keyBindings.reset(ids),
    ...draftCommands(parts),
    ...updateCommands(parts),
    ...tryDefinitionCommands(parts),
    'access.set': (wanted) => access.set(wanted),
    'access.test': (wanted) => access.test(wanted),
    'provider.save': (wanted) => providers.save(wanted),
    'provider.remove': ({ name }) => providers.remove(name),
    'provider.probe': ({ model }) => providers.probe(model),
    'programs.keys': async () => ok(await programKeys.list()),
    'programs.saveKey': ({ name, value }) => programKeys.save(name, value),
    'agentWindow.open': async (agent) => ok(agentWindow.open(agent)),
    'agentWindow.close': async (agent) => ok(agentWindow.close(agent)),
    'statusLine.test': ({ command }) => parts.statusLine.test(command),
    'environment.state': async ({ folder: path }) => {
      const folder = await folders.known(path)
      return folder.ok ? ok(await parts.environmentWatch.follow(folder.value)) : folder
    },
    'environment.open': async ({ folder: path, id, name }) => {
      const folder = await folders.known(path)
      if (!folder.ok) return folder
      const { worktrees } = await (await program()).environments.state(folder.value)
      const port = worktrees.find((each) => each.id === id)?.ports.find((each) => each.name === name)
      return port === undefined ? fail(noServer) : parts.opener.openServer(port.port)
    },
    'agentTests.state': async ({ folder: path }) => {
      const folder = await folders.known(path)
      return folder.ok ? ok(await parts.agentTestWatch.follow(folder.value)) : folder
    },
    'agentTests.export': async ({ folder: path, agent, form }) => {
      const folder = await folders.known(path)
      if (!folder.ok) return folder
      const text = await (await program()).agentTests.exported({ folder: folder.value, agent, form })
      if (!text.ok) return text
      const file = await parts.askForFile(`${agent.replaceAll(/[^\w.-]+/g, '-')}-tests.${form}`)
      if (file === null) return ok(null)
      const saved = await saveText(file, text.value)
      return saved.ok ? ok({ path: saved.value }) : saved
    },
    'mcp.state': async ({ folder }) => ok(await parts.mcpWatch.follow(folder)),
    'review.watch': async ({ folder: path, watched }, call) => {
      const folder = await folders.known(path)
      if (!folder.ok) return folder
      const snapshot = await reviewWatch.follow(folder.value, watched)
      call.hold()
      return ok(snapshot)
    },
    'trash.delete': async ({ conversationIds }) => {
      const deleted = await (await program()).trash.delete(conversationIds)
      if (deleted.ok)
        for (const place of conversationIds)
          await parts.drafts
            .save({ place, text: '', recipientId: null, attachments: [], added: [] })
            .catch(() => undefined)
      return deleted
    },
  }
}

/** Writes a file that the user chose. Fails with `io`. @returns its path */
async function saveText(path: string, text: string): Promise<Result<string>> {
  try {
    await writeFile(path, text)
    return ok(path)
  } catch (thrown) {
    return fail({ type: 'io', message: `${path} was not saved: ${sentence(messageOf(thrown))}` })
  }
}

const noServer = { type: 'not-found', message: 'There is no such server any more.' }

/** What joins a window's stream of deltas, or leaves it. */
type StreamCommand = `agent.${'transcript' | 'watch'}` | `conversation.${'subscribe' | 'unsubscribe'}`

export function streamCommands({
  program,
  subscriptions,
}: Pick<WindowParts, 'program' | 'subscriptions'>): Pick<WindowHandlers, StreamCommand> {
  return {
    'conversation.subscribe': async ({ conversationId }, call) => {
      const { runtime } = await program()
      const joined = await call.stream.join(conversationId, async () => {
        const snapshot = await runtime.snapshot(conversationId)
        call.hold()
        return snapshot
      })
      if (joined.ok) subscriptions?.subscribed(conversationId)
      return joined
    },
    'conversation.unsubscribe': async ({ conversationId }, { stream }) => {
      stream.leave(conversationId)
      subscriptions?.unsubscribed(conversationId)
      return ok(undefined)
    },
    'agent.transcript': async ({ conversationId, agentId, before, limit }, call) => {
      const { store, runtime } = await program()
      // Deltas continue from the newest page only, so they wait until the window has the page.
      if (before === null) call.hold()
      const page = await store.page(agentId, { before, limit })
      if (!page.ok) return page
      const { events } = page.value
      const older = (events[0]?.seq ?? 0) > 0
      if (before !== null) return ok({ events, older, live: [] })
      const live = runtime.live(agentId)
      call.stream.watchFrom(conversationId, agentId, live)
      return ok({ events, older, live })
    },
    'agent.watch': async ({ conversationId, agentIds }, { stream }) =>
      ok(stream.watch(conversationId, agentIds)),
  }
}

function folderCommands(parts: WindowParts): Omit<HandlersOf<'folder', [CommandCall]>, 'folder.trust'> {
  const { folders, program } = parts
  return {
    'folder.pick': async ({ newWindow }) => {
      const path = await parts.pickFolder()
      return path === null ? ok(null) : parts.openFolder({ path, newWindow, conversationId: null })
    },
    'folder.open': (request) => parts.openFolder(request),
    'folder.sample': async () => {
      const copied = await parts.copySample()
      if (!copied.ok) return copied
      // The sample's content is part of the program.
      await (await program()).handlers['folder.trust']({ path: copied.value, trusted: true })
      return folders.open(copied.value)
    },
    'folder.bypass': ({ path, allowed }) => folders.allowBypass(path, allowed),
    'folder.files': ({ path, query }) => folders.files(path, query),
    'folder.contents': async ({ path }) => {
      const folder = await folders.info(path)
      return folder.ok ? ok(await (await program()).folderContents(folder.value.path)) : folder
    },
    'folder.definitions': async ({ path }) => {
      const folder = await folders.info(path)
      if (!folder.ok) return folder
      const { definitions, texts } = await program()
      const loaded = await definitions.load(folder.value.path, { trusted: folder.value.trusted })
      const waiting = await texts.waiting(folder.value.path, { nested: false })
      return ok({
        ...(waiting.length > 0 && { waitingTexts: waiting.length }),
        definitions: loaded.definitions.map(definitionInfo),
        problems: loaded.problems.map(({ file, message, waits }) => ({
          file,
          message,
          ...(waits && { waits }),
        })),
      })
    },
  }
}

function definitionInfo(definition: LoadedDefinition) {
  const { name, description, source, color, model, tools, hidden, program, readOnly } = definition
  return {
    ...{ name, description, source, color: stableColor(color, name), model, tools, hidden },
    ...(program && { isProgram: true as const }),
    ...(readOnly && { readOnly }),
  }
}

/** Files, terminals, links, notifications. */
function systemCommands({
  program,
  opener,
  notify,
  askForFile,
  askForImport,
  confirmSending,
  pushAll,
}: WindowParts): HandlersOf<'system', [CommandCall]> {
  return {
    'system.openFile': (location) => opener.openFile(location),
    'system.openSetup': async ({ folder, path }) => {
      const { items } = await (await program()).setup.report(folder)
      return items.some(({ file }) => file === path)
        ? opener.openFound(path)
        : fail({
            type: 'not-found',
            message: `${path} was not opened: it is not part of your setup any more.`,
          })
    },
    'system.saveText': async ({ name, text }) => {
      const path = await askForFile(name)
      return path === null ? ok(null) : saveText(path, text)
    },
    'system.saveShared': async (share) => {
      const { shared, store } = await program()
      const record = await store.read(share.conversationId)
      if (!record.ok) return record
      const path = await askForFile(sharedFileName(record.value.title, share.format))
      if (path === null) return ok(null)
      const saved = await shared.save(share, path)
      return saved.ok ? ok({ path, bytes: saved.value }) : saved
    },
    'system.sendShared': async ({ address, ...share }) => {
      const url = receiverAddress(address)
      if (!url.ok) return url
      const { shared, store } = await program()
      const record = await store.read(share.conversationId)
      if (!record.ok) return record
      if (!(await confirmSending(record.value.title, url.value))) return ok(null)
      const sent = await shared.send(share, url.value)
      return sent.ok ? ok({ spans: sent.value, receiver: url.value.host }) : sent
    },
    'system.importConversation': async () => {
      const path = await askForImport()
      if (path === null) return ok(null)
      const { runtime, shared } = await program()
      const imported = await shared.import(path)
      if (!imported.ok) return imported
      const { conversationId, ...more } = imported.value
      const summary = (await runtime.conversations()).find(({ id }) => id === conversationId)
      if (summary === undefined)
        return fail({ type: 'not-found', message: `“${more.title}” was imported, and is gone already.` })
      pushAll({ type: 'conversation', summary })
      return ok({ summary, ...more })
    },
    'system.openTerminal': ({ folder }) => opener.openTerminal(folder),
    'system.reveal': ({ path }) => opener.reveal(path),
    'system.openLink': ({ url }) => opener.openLink(url),
    'system.notify': async (notice) => ok(notify(notice)),
  }
}

/** Unsent messages. They are saved also while the program ends. */
function draftCommands({ drafts }: WindowParts): HandlersOf<'draft', [CommandCall]> {
  return {
    'draft.list': async () => ok(await drafts.list()),
    'draft.save': async (draft) => {
      try {
        return ok(await drafts.save(draft))
      } catch (error) {
        return fail({
          type: 'not-saved',
          message: `The unsent message can't be saved: ${sentence(messageOf(error))} It is kept until Troupe closes.`,
        })
      }
    },
  }
}
