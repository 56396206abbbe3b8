/** The places of the window, at its left edge. */
import { GitPullRequestArrow, LayoutGrid, type LucideIcon, Settings, SquarePen } from 'lucide-react'
import { type Place, setPlace, useSession } from '../stores/session-store.ts'
import { IconButton } from '../ui/icon-button.tsx'

interface RailEntry {
  readonly place: Place
  readonly label: string
  readonly icon: LucideIcon
  readonly keys: string
}

const STAGE: RailEntry = { place: 'stage', label: 'Stage', icon: LayoutGrid, keys: 'Mod 1' }
const AGENTS: RailEntry = { place: 'agents', label: 'Agents', icon: SquarePen, keys: 'Mod 2' }
const REVIEW: RailEntry = { place: 'review', label: 'Review', icon: GitPullRequestArrow, keys: 'Mod 4' }
const SETTINGS: RailEntry = { place: 'settings', label: 'Settings', icon: Settings, keys: 'Mod ,' }

export function Rail() {
  return (
    <nav aria-label="Places" className="flex flex-col items-center gap-1 border-line border-r bg-bg-1 py-2">
      <RailButton {...STAGE} />
      <RailButton {...AGENTS} />
      <RailButton {...REVIEW} />
      <span className="flex-1" />
      <RailButton {...SETTINGS} />
    </nav>
  )
}

function RailButton({ place, label, icon, keys }: RailEntry) {
  const current = useSession((state) => state.place === place)
  return (
    <IconButton
      label={label}
      icon={icon}
      keys={keys}
      size={34}
      tooltipSide="right"
      aria-current={current ? 'page' : undefined}
      className={current ? 'bg-bg-3 text-fg-0' : undefined}
      onClick={() => setPlace(place)}
    />
  )
}
