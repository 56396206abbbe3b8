import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { openFromMenu } from './places/menu-commands.ts'
import { connectStores } from './stores/connect.ts'
import { startSession } from './stores/session-feed.ts'
import './ui/base.css'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element #root')

// A file dropped beside the places that take files must not replace the window's page.
for (const type of ['dragover', 'drop']) window.addEventListener(type, (event) => event.preventDefault())

connectStores(openFromMenu)
void startSession()
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
