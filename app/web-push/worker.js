// Tells of a question that waits while the page is closed, and leads to it. `offer.js` registers this worker.
addEventListener("push", (event) => {
  const { title = "", body = "", url = "./" } = event.data?.json() ?? {};
  // Shown also while a page is open: browsers take leave from a page whose messages show nothing. The page's own notification has the same
  // tag, so that each replaces the other.
  event.waitUntil(registration.showNotification(title, { body, tag: "question", renotify: true, data: url }));
});

addEventListener("notificationclick", (event) => {
  event.notification.close();
  const target = new URL(event.notification.data, new URL("..", location.href));
  const lead = async () => {
    const pages = await clients.matchAll({ type: "window", includeUncontrolled: true });
    // The page of a conversation may have any settings in its query.
    const page = pages.find(({ url }) => new URL(url).pathname === target.pathname && new URL(url).hash === target.hash);
    return page ? page.focus() : clients.openWindow(target.href);
  };
  event.waitUntil(lead());
});
