import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { connectStores } from './stores/connect.ts'
import { startDraftSaving } from './stores/draft-saving.ts'
import { startSession } from './stores/session-feed.ts'
import { runCommand } from './views/command-actions.ts'
import './ui/base.css'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element #root')

// A file dropped outside a drop target must not replace the page.
for (const type of ['dragover', 'drop']) window.addEventListener(type, (event) => event.preventDefault())

connectStores(runCommand)
startDraftSaving()
void startSession()
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
