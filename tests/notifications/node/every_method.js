// Call every method of the official client but those for letters, and print what each answered as JSON.
// The base address, the key and what to use stand in the environment variable CALL.
const { NotifyClient } = require("notifications-node-client");
const axios = require("axios");

const call = JSON.parse(process.env.CALL);
const client = new NotifyClient(call.base, call.key);
client.setClient(axios.create({ timeout: 30000 }));

const inPages = async (read, rows) => {
  const pages = [];
  let olderThan;
  for (;;) {
    const page = (await read(olderThan)).data;
    if (page[rows].length === 0) return pages;
    pages.push(page[rows].map((row) => row.id));
    olderThan = page.links.next.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/)[0];
  }
};

const refusal = async (sending) => {
  try {
    await sending;
    return null;
  } catch (error) {
    return { status: error.response.status, body: error.response.data };
  }
};

const main = async () => {
  const sms = await client.sendSms(call.text, call.number, { reference: call.reference, smsSenderId: call.sender });
  const email = await client.sendEmail(call.named, call.address, {
    personalisation: { name: "Jo" },
    reference: call.reference,
    emailReplyToId: call.replyTo,
    oneClickUnsubscribeURL: "https://example.org/u?x=1",
    sanitiseContentFor: ["name"],
  });
  const withFile = (options) =>
    client.sendEmail(call.named, call.address, {
      personalisation: { name: client.prepareUpload(Buffer.from(call.content), options) },
    });
  const one = await client.getNotificationById(email.data.id);
  return {
    sms: [sms.status, sms.data],
    email: [email.status, email.data],
    one: [one.status, one.data],
    file: (await withFile()).data,
    openFile: (await withFile({ filename: "tides.csv", confirmEmailBeforeDownload: false })).data,
    filtered: (await client.getNotifications("email", undefined, call.reference)).data,
    failed: (await client.getNotifications("email", "failed", call.reference)).data,
    template: (await client.getTemplateById(call.named)).data,
    version: (await client.getTemplateByIdAndVersion(call.named, 1)).data,
    templates: (await client.getAllTemplates("email")).data,
    preview: (await client.previewTemplateById(call.named, { name: "Jo" })).data,
    messagePages: await inPages((id) => client.getNotifications(undefined, undefined, call.many, id), "notifications"),
    textPages: await inPages((id) => client.getReceivedTexts(id), "received_text_messages"),
    refusal: await refusal(client.sendSms(call.text, "0770")),
    twoSlashes: (await new NotifyClient(call.base + "/", call.key).sendSms(call.text, call.number)).status,
  };
};

main().then(
  (answers) => console.log(JSON.stringify(answers)),
  (error) => {
    console.error(error.message, JSON.stringify(error.response && error.response.data));
    process.exit(1);
  },
);
