/** The views of the window, as buttons at its left edge. */
import { VIEWS, type ViewInfo } from '../../shared/views.ts'
import { setView, useSession } from '../stores/session-store.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { VIEW_PARTS } from './view-parts.tsx'

export function Rail() {
  const buttons = (end: ViewInfo['rail']) =>
    VIEWS.filter(({ rail }) => rail === end).map((view) => <RailButton key={view.id} {...view} />)
  return (
    <nav aria-label="Views" className="flex flex-col items-center gap-1 border-line border-r bg-bg-1 py-2">
      {buttons('top')}
      <span className="flex-1" />
      {buttons('bottom')}
    </nav>
  )
}

function RailButton({ id, title, keys }: ViewInfo) {
  const current = useSession((state) => state.view === id)
  return (
    <IconButton
      label={title}
      icon={VIEW_PARTS[id].icon}
      keys={keys}
      size={34}
      tooltipSide="right"
      aria-current={current ? 'page' : undefined}
      className={current ? 'bg-bg-3 text-fg-0' : undefined}
      onClick={() => setView(id)}
    />
  )
}
