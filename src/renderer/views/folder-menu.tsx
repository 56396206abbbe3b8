/** The menu of folders in the title bar: what agents do in each, and where to open it. */
import {
  AppWindow,
  ChevronDown,
  Folder,
  FolderOpen,
  FolderSearch,
  GraduationCap,
  Package,
  SquareTerminal,
} from 'lucide-react'
import { useMemo } from 'react'
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import { openTutorial } from '../features/tutorial/tutorial-store.ts'
import { useKeysOf } from '../stores/keys-store.ts'
import { openTerminal, revealPath } from '../stores/overlay-store.ts'
import { openFolder, openSample, pickFolder } from '../stores/session-feed.ts'
import { useSession } from '../stores/session-store.ts'
import { ChipButton } from '../ui/chip.tsx'
import { Dot } from '../ui/dot.tsx'
import { Menu, MenuHeading, MenuItem, MenuSeparator, MenuSideItem } from '../ui/menu.tsx'

export function FolderMenu() {
  const keysOf = useKeysOf()
  const folder = useSession((state) => state.folder)
  const needed = useSession(({ conversations, folder: open }) =>
    conversations.reduce((sum, one) => (one.folder === open?.path ? sum : sum + one.requests), 0),
  )
  const name = folder === null ? 'No folder' : `Folder ${folder.name}`
  const label =
    needed === 0 ? name : `${name}. In other folders: ${workText({ working: 0, needsYou: needed })}`
  return (
    <Menu
      trigger={
        <ChipButton icon={Folder} aria-label={label}>
          <span className="truncate">{folder?.name ?? 'No folder'}</span>
          {needed > 0 && <Dot status="needs-you" />}
          <ChevronDown size={11} aria-hidden="true" className="shrink-0" />
        </ChipButton>
      }
    >
      {folder !== null && (
        <>
          <MenuHeading>{folder.path}</MenuHeading>
          <MenuItem icon={FolderSearch} onSelect={() => void revealPath(folder.path)}>
            Show in file manager
          </MenuItem>
          <MenuItem icon={SquareTerminal} onSelect={() => void openTerminal(folder.path)}>
            Open terminal
          </MenuItem>
          <MenuSeparator />
        </>
      )}
      <MenuItem icon={FolderOpen} keys={keysOf('open-folder')} onSelect={() => void pickFolder()}>
        Open folder…
      </MenuItem>
      <MenuItem icon={AppWindow} keys={keysOf('new-window')} onSelect={() => void pickFolder('new-window')}>
        Open folder in new window…
      </MenuItem>
      <MenuItem icon={Package} onSelect={() => void openSample()}>
        Open sample project
      </MenuItem>
      <MenuItem icon={GraduationCap} onSelect={() => void openTutorial()}>
        Try the tutorial
      </MenuItem>
      <Folders />
    </Menu>
  )
}

/** The other folders, those with agents first. Mounted only while the menu is open. */
function Folders() {
  const here = useSession((state) => state.folder?.path)
  const recent = useSession((state) => state.settings.recentFolders)
  const conversations = useSession((state) => state.conversations)
  const work = useMemo(() => workByFolder(conversations), [conversations])
  const folders = foldersByNeed(recent, work)
  if (folders.every((path) => path === here && !work.has(path))) return null
  return (
    <>
      <MenuSeparator />
      <MenuHeading>Folders</MenuHeading>
      {folders.map((path) => (
        <FolderLine key={path} path={path} work={work.get(path)} isHere={path === here} />
      ))}
    </>
  )
}

interface FolderLineProps {
  readonly path: string
  readonly work: FolderWork | undefined
  readonly isHere: boolean
}

function FolderLine({ path, work, isHere }: FolderLineProps) {
  const { name, parent } = splitPath(path)
  return (
    <div className="flex">
      <MenuItem icon={isHere ? FolderOpen : Folder} grow onSelect={() => void openFolder(path)}>
        <span className="flex items-baseline gap-2">
          <span className="shrink-0">{name}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-fg-2 text-xs" title={path}>
            {isHere ? 'this window' : parent}
          </span>
          {work !== undefined && <Work work={work} />}
        </span>
      </MenuItem>
      {isHere ? (
        <span className="w-[26px] shrink-0" />
      ) : (
        <MenuSideItem
          icon={AppWindow}
          label={`Open ${name} in new window`}
          onSelect={() => void openFolder(path, 'new-window')}
        />
      )}
    </div>
  )
}

function Work({ work }: { readonly work: FolderWork }) {
  const { working, needsYou } = work
  return (
    <span className="shrink-0 text-fg-2 text-xs">
      {working > 0 && workText({ working, needsYou: 0 })}
      {working > 0 && needsYou > 0 && ' · '}
      {needsYou > 0 && <span className="text-needs-you">{workText({ working: 0, needsYou })}</span>}
    </span>
  )
}

function splitPath(path: string): { readonly name: string; readonly parent: string } {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  return { name: path.slice(at + 1) || path, parent: path.slice(0, Math.max(at, 1)) }
}

/** What agents do in each folder, for the folder menu and its button. */
export interface FolderWork {
  readonly working: number
  /** The number of pending permission requests. */
  readonly needsYou: number
}

/** The folders in which agents work or wait for the user, by path. */
export function workByFolder(conversations: readonly ConversationSummary[]): ReadonlyMap<string, FolderWork> {
  const byFolder = new Map<string, FolderWork>()
  for (const { folder, running, requests } of conversations) {
    if (running + requests === 0) continue
    const before = byFolder.get(folder) ?? { working: 0, needsYou: 0 }
    byFolder.set(folder, {
      // An agent that asks runs, too, and a request is mostly the only one of its agent.
      working: before.working + Math.max(0, running - requests),
      needsYou: before.needsYou + requests,
    })
  }
  return byFolder
}

/** "3 working · 1 needs you". */
export function workText({ working, needsYou }: FolderWork): string {
  const parts = [
    working > 0 && `${working} working`,
    needsYou > 0 && (needsYou === 1 ? '1 needs you' : `${needsYou} need you`),
  ]
  return parts.filter(Boolean).join(' · ')
}

/** Other folders that the menu lists beside those with agents. */
const MOST_RECENT = 8

/** The folders where agents need the user, then those where agents work, then the recent ones. */
export function foldersByNeed(
  recent: readonly string[],
  work: ReadonlyMap<string, FolderWork>,
): readonly string[] {
  const rank = (path: string): number => {
    const here = work.get(path)
    return here === undefined ? 2 : here.needsYou > 0 ? 0 : 1
  }
  return [...new Set([...work.keys(), ...recent.slice(0, MOST_RECENT)])].sort((a, b) => rank(a) - rank(b))
}
