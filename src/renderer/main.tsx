import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { agentOfPage } from '../shared/commands/agent-page.ts'
import { App, connectStores } from './app.tsx'
import { startDraftSaving } from './stores/draft-store.ts'
import { startAgentSession, startSession } from './stores/session-feed.ts'
import { runCommand } from './views/command-actions.ts'
import './ui/base.css'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element #root')

// A file dropped outside a drop target must not replace the page.
for (const type of ['dragover', 'drop']) window.addEventListener(type, (event) => event.preventDefault())

connectStores(runCommand)
startDraftSaving()
const agent = agentOfPage(location.search)
const start = () => void (agent === null ? startSession() : startAgentSession(agent))
start()
createRoot(root).render(
  <StrictMode>
    <App agentId={agent?.agentId ?? null} onStart={start} />
  </StrictMode>,
)
