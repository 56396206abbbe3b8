import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { app, BrowserWindow } from 'electron'

function openWindow(): void {
  const window = new BrowserWindow({
    width: 1400,
    height: 900,
    title: 'Troupe',
    webPreferences: { preload: join(import.meta.dirname, '../preload/index.cjs'), sandbox: true },
  })
  const developmentServer = process.env['ELECTRON_RENDERER_URL']
  void (developmentServer === undefined
    ? window.loadFile(join(import.meta.dirname, '../renderer/index.html'))
    : window.loadURL(developmentServer))
  const pictureFile = process.env['TROUPE_PICTURE_FILE']
  if (pictureFile !== undefined) keepPicture(window, pictureFile)
}

function keepPicture(window: BrowserWindow, file: string): void {
  setInterval(() => {
    if (window.isDestroyed()) return
    window.webContents
      .capturePage()
      .then((picture) => writeFile(file, picture.toPNG()))
      .catch(() => {})
  }, 2000)
}

app.on('window-all-closed', () => app.quit())
void app.whenReady().then(openWindow)
