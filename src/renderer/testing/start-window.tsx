/** Starts the whole window, or a part of it, on a fake bridge. */

import { act } from '@testing-library/react'
import { noLimits } from '../../shared/events/agent-event.ts'
import type { AccessInfo } from '../../shared/models/model-access.ts'
import { defaultSettings, type Settings } from '../../shared/settings/settings.ts'
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import type { FolderInfo, StartInfo } from '../../shared/window/contract.ts'
import { connectStores } from '../app.tsx'
import { useDrafts } from '../stores/draft-store.ts'
import { startSession } from '../stores/session-feed.ts'
import { type FakeBridge, installFakeBridge } from './fake-bridge.ts'

/** Also for tests of one store or feature, which may not import the root. */
export { connectStores }

export const FOLDER: FolderInfo = {
  path: '/work/shop',
  name: 'shop',
  trusted: true,
  gitBranch: 'main',
  dirtyFiles: 0,
  bypassAllowed: false,
}

export const API: AccessInfo = { kind: 'api', keySource: 'key-store', keyStoreSafe: true, baseUrl: '' }

interface StartChoices {
  readonly folder?: FolderInfo | null
  readonly access?: AccessInfo
  readonly conversations?: readonly ConversationSummary[]
  readonly settings?: Partial<Settings>
}

let disconnect = () => {}

/** Answers the commands of every start, connects the stores and waits until the session is ready. */
export async function startWindow(choices: StartChoices = {}): Promise<FakeBridge> {
  disconnect()
  localStorage.clear()
  useDrafts.setState({ drafts: {}, focusRequests: 0 })
  const info: StartInfo = {
    version: '0.1.0',
    platform: 'linux',
    dataFolder: '/data/troupe',
    settings: { ...defaultSettings, ...choices.settings },
    access: choices.access ?? API,
    folder: choices.folder === undefined ? FOLDER : choices.folder,
    coordinatorMode: null,
    electron: '',
  }
  const bridge = installFakeBridge({
    start: () => info,
    'conversation.list': () => choices.conversations ?? [],
  })
  disconnect = connectStores(() => {})
  await act(() => startSession())
  return bridge
}

export function summaryOf(id: string, more: Partial<ConversationSummary> = {}): ConversationSummary {
  return {
    id,
    folder: FOLDER.path,
    title: `Conversation ${id}`,
    createdAt: 0,
    updatedAt: 0,
    rehearsal: false,
    scratch: false,
    pinned: false,
    archived: false,
    running: 0,
    requests: 0,
    branchOf: null,
    outcome: null,
    totals: null,
    readOnly: false,
    limits: noLimits,
    ...more,
  }
}
