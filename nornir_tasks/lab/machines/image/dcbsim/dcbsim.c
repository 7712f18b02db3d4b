// SPDX-License-Identifier: GPL-2.0
/*
 * dcbsim: data center bridging for virtio network devices, kept in memory.
 *
 * Gives every virtio network device but the one in the management slot the dcbnl operations that a RoCE NIC's driver
 * has, so that `dcb` of iproute2 sets and reads PFC, ETS, buffers, rates and DSCP maps on the very interface a host
 * uses. It checks what a driver checks. It sends no pause frame, has no queues and no buffers: configuration only.
 *
 * Parameters: management_slot, the PCI slot that is left alone; fail_pfc, an errno that every PFC set then returns.
 */
#include <linux/dcbnl.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/dcbnl.h>

#define BUFFER_BYTES 524288

static int management_slot = 3;
module_param(management_slot, int, 0444);
MODULE_PARM_DESC(management_slot, "PCI slot of the virtio NIC that gets no DCB");

static int fail_pfc;
module_param(fail_pfc, int, 0644);
MODULE_PARM_DESC(fail_pfc, "errno that setting PFC returns; 0: none");

struct bridging {
	struct list_head list;
	struct net_device *dev;
	struct ieee_ets ets;
	struct ieee_pfc pfc;
	struct ieee_maxrate rate;
	struct dcbnl_buffer buffer;
	u8 dcbx;
};

/* All of it is read and written under the RTNL, which dcbnl and the notifier both hold. */
static LIST_HEAD(bridged);

static struct bridging *of(struct net_device *dev)
{
	struct bridging *each;

	ASSERT_RTNL();
	list_for_each_entry(each, &bridged, list)
		if (each->dev == dev)
			return each;
	return NULL;
}

static int get_ets(struct net_device *dev, struct ieee_ets *ets)
{
	*ets = of(dev)->ets;
	return 0;
}

static int set_ets(struct net_device *dev, struct ieee_ets *ets)
{
	bool shared = false;
	int i, percent = 0;

	for (i = 0; i < IEEE_8021QAZ_MAX_TCS; i++) {
		if (ets->prio_tc[i] >= IEEE_8021QAZ_MAX_TCS)
			return -EINVAL;
		if (ets->tc_tsa[i] == IEEE_8021QAZ_TSA_ETS) {
			shared = true;
			percent += ets->tc_tx_bw[i];
		} else if (ets->tc_tsa[i] != IEEE_8021QAZ_TSA_STRICT) {
			return -EOPNOTSUPP;
		}
	}
	if (shared && percent != 100)
		return -EINVAL;
	of(dev)->ets = *ets;
	of(dev)->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	return 0;
}

static int get_pfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	*pfc = of(dev)->pfc;
	return 0;
}

static int set_pfc(struct net_device *dev, struct ieee_pfc *pfc)
{
	struct ieee_pfc *own = &of(dev)->pfc;

	if (fail_pfc)
		return -fail_pfc;
	own->pfc_en = pfc->pfc_en;
	own->mbc = pfc->mbc;
	own->delay = pfc->delay;
	return 0;
}

static int get_rate(struct net_device *dev, struct ieee_maxrate *rate)
{
	*rate = of(dev)->rate;
	return 0;
}

static int set_rate(struct net_device *dev, struct ieee_maxrate *rate)
{
	of(dev)->rate = *rate;
	return 0;
}

static int get_buffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	*buffer = of(dev)->buffer;
	return 0;
}

static int set_buffer(struct net_device *dev, struct dcbnl_buffer *buffer)
{
	struct dcbnl_buffer *own = &of(dev)->buffer;
	u32 sum = 0;
	int i;

	for (i = 0; i < DCBX_MAX_BUFFERS; i++)
		sum += buffer->buffer_size[i];
	if (sum > own->total_size)
		return -EINVAL;
	for (i = 0; i < IEEE_8021Q_MAX_PRIORITIES; i++)
		if (buffer->prio2buffer[i] >= DCBX_MAX_BUFFERS)
			return -EINVAL;
	memcpy(own->prio2buffer, buffer->prio2buffer, sizeof(own->prio2buffer));
	memcpy(own->buffer_size, buffer->buffer_size, sizeof(own->buffer_size));
	return 0;
}

static u8 get_dcbx(struct net_device *dev)
{
	return of(dev)->dcbx;
}

/* Non-zero says no: only the host's own IEEE mode is offered. */
static u8 set_dcbx(struct net_device *dev, u8 mode)
{
	if (mode & (DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_LLD_MANAGED | DCB_CAP_DCBX_STATIC))
		return 1;
	of(dev)->dcbx = mode;
	return 0;
}

static const struct dcbnl_rtnl_ops operations = {
	.ieee_getets = get_ets,
	.ieee_setets = set_ets,
	.ieee_getpfc = get_pfc,
	.ieee_setpfc = set_pfc,
	.ieee_getmaxrate = get_rate,
	.ieee_setmaxrate = set_rate,
	.ieee_setapp = dcb_ieee_setapp,
	.ieee_delapp = dcb_ieee_delapp,
	.dcbnl_getbuffer = get_buffer,
	.dcbnl_setbuffer = set_buffer,
	.getdcbx = get_dcbx,
	.setdcbx = set_dcbx,
};

static bool is_ours(const struct net_device *dev)
{
	const struct device *parent = dev->dev.parent;

	if (!parent || !parent->bus || strcmp(parent->bus->name, "virtio"))
		return false;
	if (!parent->parent || !dev_is_pci(parent->parent))
		return false;
	return PCI_SLOT(to_pci_dev(parent->parent)->devfn) != management_slot;
}

static void attach(struct net_device *dev)
{
	struct bridging *new;

	if (dev->dcbnl_ops || !is_ours(dev))
		return;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return;
	new->dev = dev;
	new->dcbx = DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
	new->ets.ets_cap = IEEE_8021QAZ_MAX_TCS;
	new->pfc.pfc_cap = IEEE_8021QAZ_MAX_TCS;
	new->buffer.total_size = BUFFER_BYTES;
	new->buffer.buffer_size[0] = BUFFER_BYTES / 2;
	list_add(&new->list, &bridged);
	dev->dcbnl_ops = &operations;
	netdev_info(dev, "dcbsim: data center bridging in memory\n");
}

static void detach(struct net_device *dev)
{
	struct bridging *old = of(dev);

	if (!old)
		return;
	dev->dcbnl_ops = NULL;
	list_del(&old->list);
	kfree(old);
}

/* Devices that are there already are told of as well when the notifier is registered. */
static int changed(struct notifier_block *block, unsigned long event, void *data)
{
	struct net_device *dev = netdev_notifier_info_to_dev(data);

	if (event == NETDEV_REGISTER)
		attach(dev);
	else if (event == NETDEV_UNREGISTER)
		detach(dev);
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = changed };

static int __init dcbsim_init(void)
{
	return register_netdevice_notifier(&notifier);
}

/* Unregistering replays NETDEV_UNREGISTER for every device, which detaches them. */
static void __exit dcbsim_exit(void)
{
	unregister_netdevice_notifier(&notifier);
}

module_init(dcbsim_init);
module_exit(dcbsim_exit);
MODULE_DESCRIPTION("In-memory data center bridging for virtio network devices (test only)");
MODULE_LICENSE("GPL");
